// The one wide product: x * log2 e, y * log2 |x|, or log2 x times ln 2, log10 2 or 1; and the split
// of a power of two into its whole part and the row and offset of its fraction.
//
// Timing: two stages (multiply, align).
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

  logic multiplied_valid;
  state_t multiplied_d, multiplied_q;
  state_t state_d;

  // Multiply. `scale` becomes the product's exponent.
  always_comb begin
    logic [DigitBits-1:0] digits;
    logic [ConstantBits-1:0] constant;

    digits = takes_logarithm(state_i.op) ? state_i.value[DigitBits-1:0]
                                         : DigitBits'(state_i.significand);
    multiplied_d = state_i;
    unique case (state_i.op)
      OperationExp, OperationSigmoid: begin
        constant = Log2E;
        multiplied_d.scale = state_i.exponent;
      end
      OperationTanh: begin
        constant = Log2E;
        multiplied_d.scale = state_i.exponent + exponent_t'(1);  // 2 |x|
      end
      OperationPow: begin
        constant = ConstantBits'(state_i.y_significand);
        multiplied_d.scale = state_i.scale + PowLeading;
        if (state_i.exponent == InfiniteExponent || state_i.exponent == ZeroExponent) begin
          multiplied_d.scale = PowOverflow;
        end
        multiplied_d.scale = multiplied_d.scale + state_i.y_exponent;
      end
      OperationLog2: constant = ConstantBits'(1'b1) << (LogUnit - 1);
      OperationLog10: constant = ConstantBits'(Log10Of2);
      default: constant = ConstantBits'(Ln2);
    endcase
    if (takes_power(state_i.op) || takes_logarithm(state_i.op)) begin
      multiplied_d.value = ValueBits'(digits) * ValueBits'(constant);
    end
  end

  delay_line #(
      .data_t(state_t)
  ) u_multiplied (
      .clk_i,
      .rst_ni,
      .valid_i,
      .data_i (multiplied_d),
      .valid_o(multiplied_valid),
      .data_o (multiplied_q)
  );

  // Align the exponent of two to units of 2^-36, rounded towards zero, then give it its sign.
  always_comb begin
    exponent_t exponent;
    logic [5:0] shift;
    logic signed [PowerBits:0] power;

    exponent = multiplied_q.scale;
    if (exponent > GreatestExponent) exponent = GreatestExponent;
    if (exponent < LeastExponent) exponent = LeastExponent;
    shift = unsigned'(6'(exponent_t'(ProductUnit - UnitBits) - exponent));
    power = signed'((PowerBits + 1)'(multiplied_q.value >> shift));
    if (multiplied_q.power_negative) power = -power;

    state_d = multiplied_q;
    if (takes_power(multiplied_q.op)) begin
      state_d.scale = exponent_t'(power >>> UnitBits);
      state_d.index = IndexBits'(power[UnitBits-1:OffsetBits]);
      state_d.offset = power[OffsetBits-1:0];
    end else if (is_logarithm(multiplied_q.op)) begin
      state_d.value = multiplied_q.value >> LogProductDrop;
      state_d.scale = multiplied_q.scale - exponent_t'(LogUnit - LogProductDrop);
      if (multiplied_q.op == OperationLog2) state_d.scale += exponent_t'(1);
      if (multiplied_q.op == OperationLog10) state_d.scale -= exponent_t'(1);
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

endmodule
