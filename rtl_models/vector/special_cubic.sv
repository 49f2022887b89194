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
  localparam int unsigned ProductBits = CubicBits + PlaceBits;

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

  // [0] is the look-up, [i] has added i coefficients.
  logic step_valid[Steps+1];
  step_t step_d[Steps+1], step_q[Steps+1];
  state_t state_d;

  always_comb begin
    step_d[0].state = state_i;
    unique case (Table)
      TableEntry: step_d[0].cubic = EntryTable[state_i.index];
      TableExp2: step_d[0].cubic = Exp2Table[state_i.index[6:0]];
      default: step_d[0].cubic = QuotientTable[state_i.index[7:0]];
    endcase
    step_d[0].sum = sum_t'(step_d[0].cubic.c3);
  end

  delay_line #(
      .data_t(step_t)
  ) u_look_up (
      .clk_i,
      .rst_ni,
      .valid_i,
      .data_i (step_d[0]),
      .valid_o(step_valid[0]),
      .data_o (step_q[0])
  );

  for (genvar i = 0; i < Steps; i++) begin : gen_steps
    logic multiplied_valid;
    multiplied_t multiplied_d, multiplied_q;

    always_comb begin
      multiplied_d.step = step_q[i];
      multiplied_d.product = ProductBits'(step_q[i].sum) *
                             signed'(ProductBits'(step_q[i].state.fraction));
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
      step_d[i+1] = multiplied_q.step;
      step_d[i+1].sum = sum_t'(multiplied_q.product >>> PlaceBits) + coefficient;
    end

    if (i < Steps - 1) begin : gen_register
      delay_line #(
          .data_t(step_t)
      ) u_step (
          .clk_i,
          .rst_ni,
          .valid_i(multiplied_valid),
          .data_i (step_d[i+1]),
          .valid_o(step_valid[i+1]),
          .data_o (step_q[i+1])
      );
    end else begin : gen_result
      always_comb begin
        state_d = step_d[Steps].state;
        if (takes_table(Table, state_d.op)) state_d.value = ValueBits'(step_d[Steps].sum);
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
