// One of the tables of the special functions: looks up a segment and evaluates its cubic.
//
// value = c0 + d * (c1 + d * (c2 + d * c3)), each product rounded down to the table's unit.
// Functions that do not use the table pass through.
// Timing: seven stages (look up; multiply and add, three times).
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
  localparam int unsigned ProductBits = CubicBits + OffsetBits;

  typedef logic signed [CubicBits-1:0] sum_t;

  typedef struct packed {
    state_t state;
    cubic_t cubic;
    sum_t sum;
  } step_t;

  typedef struct packed {
    step_t step;
    logic signed [ProductBits-1:0] product;
  } multiplied_t;

  // Sum i of the registers has i coefficients added to the first.
  logic step_valid[Steps];
  step_t step_q[Steps];
  step_t step_d[Steps];  // becomes the next one's step_q
  cubic_t looked_up;
  state_t state_d;

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
      .valid_o(step_valid[0]),
      .data_o (step_q[0].state)
  );

  assign step_q[0].cubic = looked_up;
  assign step_q[0].sum = sum_t'(looked_up.c3);

  for (genvar i = 0; i < Steps; i++) begin : gen_steps
    logic multiplied_valid;
    multiplied_t multiplied_d, multiplied_q;

    always_comb begin
      multiplied_d.step = step_q[i];
      multiplied_d.product = ProductBits'(step_q[i].sum) *
                             signed'(ProductBits'(step_q[i].state.offset));
    end

    delay_line #(
        .data_t(multiplied_t)
    ) u_multiplied (
        .clk_i,
        .rst_ni,
        .valid_i(step_valid[i]),
        .data_i (multiplied_d),
        .valid_o(multiplied_valid),
        .data_o (multiplied_q)
    );

    always_comb begin
      sum_t coefficient;

      unique case (i)
        0: coefficient = sum_t'(multiplied_q.step.cubic.c2);
        1: coefficient = sum_t'(multiplied_q.step.cubic.c1);
        default: coefficient = multiplied_q.step.cubic.c0;
      endcase
      step_d[i] = multiplied_q.step;
      step_d[i].sum = sum_t'(multiplied_q.product >>> OffsetBits) + coefficient;
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
        state_d = step_d[Steps-1].state;
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
