// The one wide product: x * log2 e, y * log2 |x|, or log2 x times ln 2, log10 2 or 1; and the split
// of a power of two into its whole part and the row and offset of its fraction.
//
// Timing: six stages (choose, multiply, add, place, shift, negate).
module special_power
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

  localparam int unsigned DigitBits = 39;
  localparam int unsigned ConstantBits = $bits(Log2E);
  // Units of ln 2. All factors of logarithms are as long: log10 2 has units of one bit more, the 1
  // of log2 of one bit less.
  localparam int unsigned LogUnit = $bits(Ln2);
  localparam int unsigned LogProductDrop = 10;
  // A logarithm's leading digit is worth 2^37 of its unit before it is multiplied by y.
  localparam exponent_t PowLeading = exponent_t'(37);
  // Stands for the exponent of log2 0 and log2 of infinity: larger than any y is small, yet less
  // than what stands for the exponent of 0.
  localparam exponent_t PowOverflow = exponent_t'(200);
  // The product is below 2^62, and one with exponent e is worth product * 2^(e - 60). From exponent
  // 8 on every power overflows or vanishes.
  localparam int unsigned ProductUnit = 60;
  localparam exponent_t GreatestExponent = exponent_t'(8);
  localparam exponent_t LeastExponent = exponent_t'(ProductUnit - UnitBits) - exponent_t'(63);
  localparam int unsigned PowerBits = 47;

  typedef logic [5:0] shift_t;

  typedef struct packed {
    state_t state;
    logic [DigitBits-1:0] digits;
    logic [ConstantBits-1:0] constant;
  } chosen_t;

  typedef struct packed {
    state_t state;
    logic takes_power;
    shift_t shift;
  } placed_t;

  typedef struct packed {
    state_t state;
    logic takes_power;
    logic is_logarithm;
    logic is_log2;
    logic is_log10;
  } shifted_t;

  logic chosen_valid, multiplied_valid, product_valid, placed_valid, shifted_valid;
  chosen_t chosen_d, chosen_q;
  state_t multiplied;
  logic [ValueBits-1:0] product;
  state_t product_d, product_q;
  placed_t placed_d, placed_q;
  shifted_t shifted_d, shifted_q;
  state_t state_d;

  // Choose the factors. `scale` becomes the product's exponent.
  always_comb begin
    chosen_d.digits = takes_logarithm(state_i.op) ? state_i.value[DigitBits-1:0]
                                                  : DigitBits'(state_i.significand);
    chosen_d.state = state_i;
    unique case (state_i.op)
      OperationExp, OperationSigmoid: begin
        chosen_d.constant = Log2E;
        chosen_d.state.scale = state_i.exponent;
      end
      OperationTanh: begin
        chosen_d.constant = Log2E;
        chosen_d.state.scale = state_i.exponent + exponent_t'(1);  // 2 |x|
      end
      OperationPow: begin
        chosen_d.constant = ConstantBits'(state_i.y_significand);
        chosen_d.state.scale = state_i.scale + PowLeading;
        if (state_i.exponent == InfiniteExponent || state_i.exponent == ZeroExponent) begin
          chosen_d.state.scale = PowOverflow;
        end
        chosen_d.state.scale = chosen_d.state.scale + state_i.y_exponent;
      end
      OperationLog2: chosen_d.constant = ConstantBits'(1'b1) << (LogUnit - 1);
      OperationLog10: chosen_d.constant = ConstantBits'(Log10Of2);
      default: chosen_d.constant = ConstantBits'(Ln2);
    endcase
  end

  delay_line #(
      .data_t(chosen_t)
  ) u_chosen (
      .clk_i,
      .rst_ni,
      .valid_i,
      .data_i (chosen_d),
      .valid_o(chosen_valid),
      .data_o (chosen_q)
  );

  // Multiply.
  delay_line #(
      .data_t(state_t)
  ) u_multiplied (
      .clk_i,
      .rst_ni,
      .valid_i(chosen_valid),
      .data_i (chosen_q.state),
      .valid_o(multiplied_valid),
      .data_o (multiplied)
  );

  multiply_add #(
      .ABits  (DigitBits),
      .BBits  (ConstantBits),
      .SumBits(ValueBits)
  ) u_multiply (
      .clk_i,
      .a_i     (chosen_q.digits),
      .b_i     (chosen_q.constant),
      .addend_i('0),
      .sum_o   (product)
  );

  always_comb begin
    product_d = multiplied;
    if (takes_power(multiplied.op) || takes_logarithm(multiplied.op)) product_d.value = product;
  end

  delay_line #(
      .data_t(state_t)
  ) u_product (
      .clk_i,
      .rst_ni,
      .valid_i(multiplied_valid),
      .data_i (product_d),
      .valid_o(product_valid),
      .data_o (product_q)
  );

  // Place the exponent of two: its shift to units of 2^-36.
  always_comb begin
    placed_d.state = product_q;
    placed_d.takes_power = takes_power(product_q.op);
    placed_d.shift = unsigned'(shift_t'(exponent_t'(ProductUnit - UnitBits) - product_q.scale));
    if (product_q.scale > GreatestExponent) begin
      placed_d.shift = unsigned'(shift_t'(exponent_t'(ProductUnit - UnitBits) - GreatestExponent));
    end
    if (product_q.scale < LeastExponent) begin
      placed_d.shift = unsigned'(shift_t'(exponent_t'(ProductUnit - UnitBits) - LeastExponent));
    end
  end

  delay_line #(
      .data_t(placed_t)
  ) u_placed (
      .clk_i,
      .rst_ni,
      .valid_i(product_valid),
      .data_i (placed_d),
      .valid_o(placed_valid),
      .data_o (placed_q)
  );

  // Shift it there, rounded towards zero.
  always_comb begin
    shifted_d.state = placed_q.state;
    shifted_d.takes_power = placed_q.takes_power;
    shifted_d.is_logarithm = is_logarithm(placed_q.state.op);
    shifted_d.is_log2 = placed_q.state.op == OperationLog2;
    shifted_d.is_log10 = placed_q.state.op == OperationLog10;
    if (placed_q.takes_power) shifted_d.state.value = placed_q.state.value >> placed_q.shift;
  end

  delay_line #(
      .data_t(shifted_t)
  ) u_shifted (
      .clk_i,
      .rst_ni,
      .valid_i(placed_valid),
      .data_i (shifted_d),
      .valid_o(shifted_valid),
      .data_o (shifted_q)
  );

  // Give it its sign.
  always_comb begin
    state_t state;
    logic signed [PowerBits:0] power;
    exponent_t unit;

    state = shifted_q.state;
    power = signed'((PowerBits + 1)'(state.value));
    if (state.power_negative) power = -power;

    unit = exponent_t'(LogUnit - LogProductDrop);
    if (shifted_q.is_log2) unit = exponent_t'(LogUnit - LogProductDrop - 1);
    if (shifted_q.is_log10) unit = exponent_t'(LogUnit - LogProductDrop + 1);

    state_d = state;
    if (shifted_q.takes_power) begin
      state_d.scale = exponent_t'(power >>> UnitBits);
      state_d.index = IndexBits'(power[UnitBits-1:OffsetBits]);
      state_d.offset = power[OffsetBits-1:0];
    end
    if (shifted_q.is_logarithm) begin
      state_d.value = state.value >> LogProductDrop;
      state_d.scale = state.scale - unit;
    end
  end

  delay_line #(
      .data_t(state_t)
  ) u_state (
      .clk_i,
      .rst_ni,
      .valid_i(shifted_valid),
      .data_i (state_d),
      .valid_o,
      .data_o (state_o)
  );

endmodule
