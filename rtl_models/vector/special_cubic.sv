// One of the tables of the special functions: looks up a segment and evaluates its cubic.
//
// value = c0 + d * (c1 + d * (c2 + d * c3)), each product rounded down to the table's unit.
// Functions that do not use the table pass through.
// Timing: eight stages (look up, take over; multiply and add, three times).
module special_cubic
  import hwc_special_pkg::*;
  import hwc_tables_pkg::*;
#(
    parameter table_e Table = TableExp2
) (
    input  logic   clk_i,
    input  logic   rst_ni,
    input  logic   valid_i,
    input  state_t state_i,
    output logic   valid_o,
    output state_t state_o
);

  localparam int unsigned Steps = 3;

  typedef logic signed [CubicBits-1:0] sum_t;

  typedef struct packed {
    state_t state;
    cubic_t cubic;
  } segment_t;

  typedef struct packed {
    segment_t segment;
    sum_t sum;
  } step_t;

  // Sum i of the registers has i coefficients added to the first.
  logic step_valid[Steps];
  step_t step_q[Steps];
  step_t step_d[Steps];  // becomes the next one's step_q
  logic looked_up_valid;
  state_t looked_up_state;
  cubic_t looked_up;
  segment_t segment;
  state_t state_d;

  // Bits of the sums: a product adds less than one more bit to its coefficient.
  localparam int unsigned SumBits[Steps+1] = '{
      $bits(looked_up.c3), $bits(looked_up.c2) + 1, $bits(looked_up.c1) + 1, CubicBits
  };

  if (Table == TableEntry) begin : gen_entry
    rom #(
        .data_t(cubic_t),
        .Rows($size(EntryTable)),
        .Contents(EntryTable)
    ) u_rom (
        .clk_i,
        .read_i   (valid_i),
        .address_i(state_i.index),
        .data_o   (looked_up)
    );
  end else if (Table == TableExp2) begin : gen_exp2
    rom #(
        .data_t(cubic_t),
        .Rows($size(Exp2Table)),
        .Contents(Exp2Table)
    ) u_rom (
        .clk_i,
        .read_i   (valid_i),
        .address_i(state_i.index[$clog2($size(Exp2Table))-1:0]),
        .data_o   (looked_up)
    );
  end else begin : gen_quotient
    rom #(
        .data_t(cubic_t),
        .Rows($size(QuotientTable)),
        .Contents(QuotientTable)
    ) u_rom (
        .clk_i,
        .read_i   (valid_i),
        .address_i(state_i.index[$clog2($size(QuotientTable))-1:0]),
        .data_o   (looked_up)
    );
  end

  delay_line #(
      .data_t(state_t)
  ) u_look_up (
      .clk_i,
      .rst_ni,
      .valid_i,
      .data_i (state_i),
      .valid_o(looked_up_valid),
      .data_o (looked_up_state)
  );

  // A memory is too slow to be read and multiplied in one cycle.
  delay_line #(
      .data_t(segment_t)
  ) u_segment (
      .clk_i,
      .rst_ni,
      .valid_i(looked_up_valid),
      .data_i ('{looked_up_state, looked_up}),
      .valid_o(step_valid[0]),
      .data_o (segment)
  );

  assign step_q[0] = '{segment, sum_t'(segment.cubic.c3)};

  for (genvar i = 0; i < Steps; i++) begin : gen_steps
    localparam int unsigned ProductBits = SumBits[i+1] + OffsetBits;

    logic multiplied_valid;
    segment_t multiplied;
    logic signed [ProductBits-1:0] addend;
    logic [ProductBits-1:0] sum;

    delay_line #(
        .data_t(segment_t)
    ) u_multiplied (
        .clk_i,
        .rst_ni,
        .valid_i(step_valid[i]),
        .data_i (step_q[i].segment),
        .valid_o(multiplied_valid),
        .data_o (multiplied)
    );

    multiply_add #(
        .ABits  (SumBits[i]),
        .BBits  (OffsetBits),
        .ASigned(1'b1),
        .SumBits(ProductBits)
    ) u_multiply (
        .clk_i,
        .a_i     (step_q[i].sum[SumBits[i]-1:0]),
        .b_i     (step_q[i].segment.state.offset),
        .addend_i(unsigned'(addend)),
        .sum_o   (sum)
    );

    always_comb begin
      unique case (i)
        0: addend = ProductBits'(multiplied.cubic.c2);
        1: addend = ProductBits'(multiplied.cubic.c1);
        default: addend = ProductBits'(multiplied.cubic.c0);
      endcase
      addend = addend <<< OffsetBits;
      step_d[i] = '{multiplied, sum_t'(signed'(sum) >>> OffsetBits)};
    end

    if (i < Steps - 1) begin : gen_register
      delay_line #(
          .data_t(step_t)
      ) u_step (
          .clk_i,
          .rst_ni,
          .valid_i(multiplied_valid),
          .data_i (step_d[i]),
          .valid_o(step_valid[i+1]),
          .data_o (step_q[i+1])
      );
    end else begin : gen_result
      always_comb begin
        state_d = step_d[Steps-1].segment.state;
        if (takes_table(Table, state_d.op)) begin
          state_d.value = unsigned'(ValueBits'(step_d[Steps-1].sum));
        end
      end

      delay_line #(
          .data_t(state_t)
      ) u_state (
          .clk_i,
          .rst_ni,
          .valid_i(multiplied_valid),
          .data_i (state_d),
          .valid_o,
          .data_o (state_o)
      );
    end
  end

endmodule
