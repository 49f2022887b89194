// 1 + 2^(n + f) for sigmoid and tanh, and the argument of the quotients' table.
//
// The sum is taken over 2^max(n, 0), so that it needs no more than 36 fraction bits; it leaves as
// the row and offset of its significand, `scale` being its exponent. exp and pow are done here.
// Timing: one stage.
module special_one_plus
  import hwc_isa_pkg::*;
  import hwc_special_pkg::*;
  import hwc_tables_pkg::*;
  import hwc_float_pkg::*;
(
    input  logic   clk_i,
    input  logic   rst_ni,
    input  logic   valid_i,
    input  state_t state_i,
    output logic   valid_o,
    output state_t state_o
);

  localparam int unsigned TotalBits = UnitBits + 2;
  localparam logic [TotalBits-1:0] One = TotalBits'(1) << UnitBits;
  // pow: far enough below binary32 for every smaller power to be 0 as well.
  localparam exponent_t LeastPower = -exponent_t'(512);

  state_t state_d;

  always_comb begin
    exponent_t up, down;
    logic [TotalBits-1:0] total;
    logic [TanhSegmentBits+OffsetBits-1:0] argument;

    up = state_i.scale > exponent_t'(0) ? state_i.scale : exponent_t'(0);
    down = up - state_i.scale;
    total = (TotalBits'(state_i.value) >> down) + (One >> up);
    if (total[TotalBits-1]) begin
      total = total >> 1;
      up += exponent_t'(1);
    end
    argument = {state_i.significand, (TanhSegmentBits + OffsetBits - SignificandBits)'(0)} >>
               (-exponent_t'(2) - state_i.exponent);

    state_d = state_i;
    unique case (state_i.op)
      OperationExp: state_d.scale = state_i.scale - exponent_t'(UnitBits);
      OperationPow: begin
        state_d.scale = (state_i.scale < LeastPower ? LeastPower : state_i.scale) -
                        exponent_t'(UnitBits);
      end
      OperationSigmoid, OperationTanh: begin
        state_d.scale = up;
        state_d.index = IndexBits'(total[UnitBits-1:OffsetBits]);
        state_d.offset = total[OffsetBits-1:0];
        if (is_small_tanh(state_i.op, state_i.exponent)) begin
          state_d.index = TanhFirst + IndexBits'(argument[OffsetBits+:TanhSegmentBits]);
          state_d.offset = argument[OffsetBits-1:0];
        end
      end
      OperationRecip: begin
        state_d.index = IndexBits'(state_i.significand[FractionBits-1-:RecipSegmentBits]);
        state_d.offset = offset_of(state_i.significand, RecipSegmentBits);
      end
      default: ;
    endcase
  end

  delay_line #(
      .data_t(state_t)
  ) u_state (
      .clk_i,
      .rst_ni,
      .valid_i,
      .data_i (state_d),
      .valid_o,
      .data_o (state_o)
  );

endmodule
