// The first table's value times its factor: the whole of erf and of the angles, and the logarithm.
//
// log2 |x| = E + (m - 1) * ratio. With E = 0 the product alone is the logarithm, in units of 2^-63,
// so that it keeps its relative precision however close x is to 1; otherwise the unit is 2^-45. The
// logarithm leaves as sign and magnitude, rounded to the digits that the next product takes.
// Timing: three stages (multiply, combine, normalise).
module special_product
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

  localparam int unsigned ProductBits = ValueBits + 1;
  localparam int unsigned CountBits = $clog2(ValueBits + 1);
  localparam int unsigned NearUnit = 63;
  localparam int unsigned FarUnit = 45;
  localparam int unsigned LogDigits = 31;
  localparam int unsigned PowDigits = 38;
  // The ratio of sine is taken to units of 2^-31 for its product.
  localparam int unsigned SineUnit = 31;
  localparam int unsigned SineDrop = UnitBits - SineUnit;
  // What products drop, so that they fit the bits that are rounded in the end.
  localparam int unsigned AngleProductDrop = 10;
  localparam int unsigned ErfProductDrop = 8;

  typedef logic signed [ProductBits-1:0] product_t;

  typedef struct packed {
    state_t state;
    product_t product;
  } multiplied_t;

  logic multiplied_valid, combined_valid;
  multiplied_t multiplied_d, multiplied_q;
  state_t combined_d, combined_q;
  state_t state_d;
  logic [CountBits-1:0] zeros;

  // Multiply.
  always_comb begin
    logic [ValueBits-1:0] multiplicand;

    multiplicand = state_i.value;
    if (takes_angle(state_i.op)) begin
      multiplicand = (multiplicand + (ValueBits'(1'b1) << (SineDrop - 1))) >> SineDrop;
    end
    multiplied_d.state = state_i;
    multiplied_d.product = signed'(ProductBits'(multiplicand[CubicBits-1:0])) *
                           ProductBits'(state_i.factor);
  end

  delay_line #(
      .data_t(multiplied_t)
  ) u_multiplied (
      .clk_i,
      .rst_ni,
      .valid_i,
      .data_i (multiplied_d),
      .valid_o(multiplied_valid),
      .data_o (multiplied_q)
  );

  // Combine.
  always_comb begin
    state_t state;
    logic near;
    product_t logarithm;

    state = multiplied_q.state;
    near = state.exponent == exponent_t'(0);
    logarithm = multiplied_q.product;
    if (!near) begin
      logarithm = (product_t'(state.exponent) <<< FarUnit) +
                  (multiplied_q.product >>> (NearUnit - FarUnit));
    end

    combined_d = state;
    unique case (state.op)
      OperationLog, OperationLog2, OperationLog10, OperationPow: begin
        combined_d.value = unsigned'(ValueBits'(logarithm[ProductBits-1] ? -logarithm : logarithm));
        combined_d.scale = near ? -exponent_t'(NearUnit) : -exponent_t'(FarUnit);
        if (is_logarithm(state.op)) combined_d.negative = logarithm[ProductBits-1];
        combined_d.power_negative = state.power_negative ^ logarithm[ProductBits-1];
      end
      OperationErf: begin
        combined_d.value = unsigned'(ValueBits'(multiplied_q.product >>> ErfProductDrop));
        combined_d.scale = state.exponent -
                           exponent_t'(FractionBits + UnitBits - ErfProductDrop);
      end
      OperationSin, OperationCos: begin
        combined_d.value = unsigned'(ValueBits'(multiplied_q.product >>> AngleProductDrop));
        combined_d.scale = state.scale - exponent_t'(SineUnit - AngleProductDrop);
      end
      OperationRsqrt: combined_d.scale = -(state.exponent >>> 1) - exponent_t'(UnitBits);
      default: ;
    endcase
  end

  delay_line #(
      .data_t(state_t)
  ) u_combined (
      .clk_i,
      .rst_ni,
      .valid_i(multiplied_valid),
      .data_i (combined_d),
      .valid_o(combined_valid),
      .data_o (combined_q)
  );

  // Normalise a logarithm. One of 0 leaves as 0, whatever its scale.
  leading_zeros #(
      .Width(ValueBits)
  ) u_leading_zeros (
      .data_i (combined_q.value),
      .count_o(zeros)
  );

  always_comb begin
    logic [ValueBits-1:0] digits;

    digits = combined_q.value << zeros;
    state_d = combined_q;
    unique case (combined_q.op)
      OperationLog, OperationLog2, OperationLog10: begin
        state_d.value = ValueBits'(digits[ValueBits-1-:LogDigits]) +
                        ValueBits'(digits[ValueBits-1-LogDigits]);
        state_d.scale = combined_q.scale + exponent_t'(ValueBits - LogDigits) - exponent_t'(zeros);
      end
      OperationPow: begin
        state_d.value = ValueBits'(digits[ValueBits-1-:PowDigits]) +
                        ValueBits'(digits[ValueBits-1-PowDigits]);
        state_d.scale = combined_q.scale + exponent_t'(ValueBits - PowDigits) - exponent_t'(zeros);
      end
      default: ;
    endcase
  end

  delay_line #(
      .data_t(state_t)
  ) u_state (
      .clk_i,
      .rst_ni,
      .valid_i(combined_valid),
      .data_i (state_d),
      .valid_o,
      .data_o (state_o)
  );

endmodule
