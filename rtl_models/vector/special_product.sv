// The first table's value times its factor: the whole of erf and of the angles, and the logarithm.
//
// log2 |x| = E + (m - 1) * ratio. With E = 0 the product alone is the logarithm, in units of 2^-63,
// so that it keeps its relative precision however close x is to 1; otherwise the unit is 2^-45. The
// logarithm leaves as sign and magnitude, rounded to the digits that the next product takes.
// Timing: eight stages (choose, multiply, add, combine, take the magnitude, count zeros, normalise,
// round).
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

  typedef logic [CubicBits-1:0] multiplicand_t;

  typedef struct packed {
    state_t state;
    multiplicand_t multiplicand;
  } chosen_t;

  typedef struct packed {
    state_t state;
    product_t product;
    logic is_near;  // the logarithm of a number next to 1
    logic is_far;  // another logarithm
    logic is_erf;
    logic is_angle;
    logic is_root;
    logic is_value;  // the product does not count
  } product_state_t;

  typedef struct packed {
    state_t state;
    product_t product;
  } combined_t;

  typedef struct packed {
    state_t state;
    logic takes_logarithm;
    logic is_pow;
    logic [CountBits-1:0] zeros;
  } counted_t;

  logic chosen_valid, multiplied_valid, product_valid, combined_valid, magnitude_valid;
  logic counted_valid, normal_valid;
  chosen_t chosen_d, chosen_q;
  state_t multiplied;
  logic [ProductBits-1:0] product;
  product_state_t product_d, product_q;
  combined_t combined_d, combined_q;
  state_t magnitude_d, magnitude_q;
  counted_t counted_d, counted_q;
  state_t normal_d, normal_q;
  state_t state_d;

  // Choose the multiplicand.
  always_comb begin
    chosen_d.state = state_i;
    chosen_d.multiplicand = multiplicand_t'(state_i.value);
    if (takes_angle(state_i.op)) begin
      chosen_d.multiplicand = multiplicand_t'(
          (state_i.value + (ValueBits'(1'b1) << (SineDrop - 1))) >> SineDrop);
    end
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
      .ABits  (CubicBits),
      .BBits  (FactorBits),
      .BSigned(1'b1),
      .SumBits(ProductBits)
  ) u_multiply (
      .clk_i,
      .a_i     (chosen_q.multiplicand),
      .b_i     (unsigned'(chosen_q.state.factor)),
      .addend_i('0),
      .sum_o   (product)
  );

  always_comb begin
    logic near;

    near = multiplied.exponent == exponent_t'(0);
    product_d.state = multiplied;
    product_d.product = signed'(product);
    product_d.is_near = takes_logarithm(multiplied.op) && near;
    product_d.is_far = takes_logarithm(multiplied.op) && !near;
    product_d.is_erf = multiplied.op == OperationErf;
    product_d.is_angle = takes_angle(multiplied.op);
    product_d.is_root = multiplied.op == OperationRsqrt;
    product_d.is_value = !(takes_logarithm(multiplied.op) || takes_angle(multiplied.op)
        || multiplied.op == OperationErf);
  end

  delay_line #(
      .data_t(product_state_t)
  ) u_product (
      .clk_i,
      .rst_ni,
      .valid_i(multiplied_valid),
      .data_i (product_d),
      .valid_o(product_valid),
      .data_o (product_q)
  );

  function automatic product_t if_set(logic let_through, product_t value);
    return let_through ? value : product_t'(0);
  endfunction

  // Combine: the product as it is, or the logarithm. From here on the state's value is free, and
  // what goes on is one number, which is below zero only if it is a logarithm.
  always_comb begin
    state_t state;
    product_t near, far;
    exponent_t scale, unit;

    state = product_q.state;
    near = product_q.product;
    far = (product_t'(state.exponent) <<< FarUnit) + (near >>> (NearUnit - FarUnit));
    combined_d.state = state;
    combined_d.product = if_set(product_q.is_near, near) | if_set(product_q.is_far, far)
        | if_set(product_q.is_erf, near >>> ErfProductDrop)
        | if_set(product_q.is_angle, near >>> AngleProductDrop)
        | if_set(product_q.is_value, signed'(product_t'(state.value)));

    scale = state.scale;
    unit = exponent_t'(0);
    if (product_q.is_near || product_q.is_far) begin
      scale = exponent_t'(0);
      unit = product_q.is_near ? exponent_t'(NearUnit) : exponent_t'(FarUnit);
    end
    if (product_q.is_erf) begin
      scale = state.exponent;
      unit = exponent_t'(FractionBits + UnitBits - ErfProductDrop);
    end
    if (product_q.is_angle) unit = exponent_t'(SineUnit - AngleProductDrop);
    if (product_q.is_root) begin
      scale = ~(state.exponent >>> 1);  // -x is ~x + 1
      unit = exponent_t'(UnitBits - 1);
    end
    combined_d.state.scale = scale - unit;
  end

  delay_line #(
      .data_t(combined_t)
  ) u_combined (
      .clk_i,
      .rst_ni,
      .valid_i(product_valid),
      .data_i (combined_d),
      .valid_o(combined_valid),
      .data_o (combined_q)
  );

  // Take the magnitude: -x is ~x + 1.
  always_comb begin
    logic [ProductBits-1:0] combined;
    logic negative;

    combined = unsigned'(combined_q.product);
    negative = combined[ProductBits-1];
    magnitude_d = combined_q.state;
    magnitude_d.value = ValueBits'(combined ^ {ProductBits{negative}}) + ValueBits'(negative);
    if (is_logarithm(combined_q.state.op)) magnitude_d.negative = negative;
    magnitude_d.power_negative = combined_q.state.power_negative ^ negative;
  end

  delay_line #(
      .data_t(state_t)
  ) u_magnitude (
      .clk_i,
      .rst_ni,
      .valid_i(combined_valid),
      .data_i (magnitude_d),
      .valid_o(magnitude_valid),
      .data_o (magnitude_q)
  );

  // Count its zeros, those of both halves at once: a short count is faster than a long one.
  localparam int unsigned UpperBits = 2 ** (CountBits - 1);
  localparam int unsigned LowerBits = ValueBits - UpperBits;
  logic [CountBits-1:0] upper_zeros;
  logic [CountBits-2:0] lower_zeros;

  leading_zeros #(
      .Width(UpperBits)
  ) u_upper_zeros (
      .data_i (magnitude_q.value[ValueBits-1-:UpperBits]),
      .count_o(upper_zeros)
  );

  leading_zeros #(
      .Width(LowerBits)
  ) u_lower_zeros (
      .data_i (magnitude_q.value[LowerBits-1:0]),
      .count_o(lower_zeros)
  );

  // If the upper half is empty, its count has the top bit alone.
  assign counted_d.zeros = upper_zeros | (upper_zeros[CountBits-1] ? CountBits'(lower_zeros) : '0);

  assign counted_d.state = magnitude_q;
  assign counted_d.takes_logarithm = takes_logarithm(magnitude_q.op);
  assign counted_d.is_pow = magnitude_q.op == OperationPow;

  delay_line #(
      .data_t(counted_t)
  ) u_counted (
      .clk_i,
      .rst_ni,
      .valid_i(magnitude_valid),
      .data_i (counted_d),
      .valid_o(counted_valid),
      .data_o (counted_q)
  );

  // Normalise it. One of 0 stays 0, whatever its scale.
  always_comb begin
    exponent_t unit;

    unit = counted_q.is_pow ? exponent_t'(ValueBits - PowDigits)
                            : exponent_t'(ValueBits - LogDigits);
    normal_d = counted_q.state;
    if (counted_q.takes_logarithm) begin
      normal_d.value = counted_q.state.value << counted_q.zeros;
      normal_d.scale = counted_q.state.scale + unit - exponent_t'(counted_q.zeros);
    end
  end

  delay_line #(
      .data_t(state_t)
  ) u_normal (
      .clk_i,
      .rst_ni,
      .valid_i(counted_valid),
      .data_i (normal_d),
      .valid_o(normal_valid),
      .data_o (normal_q)
  );

  // Round it.
  always_comb begin
    logic [ValueBits-1:0] digits;

    digits = normal_q.value;
    state_d = normal_q;
    unique case (normal_q.op)
      OperationLog, OperationLog2, OperationLog10: begin
        state_d.value = ValueBits'(digits[ValueBits-1-:LogDigits]) +
                        ValueBits'(digits[ValueBits-1-LogDigits]);
      end
      OperationPow: begin
        state_d.value = ValueBits'(digits[ValueBits-1-:PowDigits]) +
                        ValueBits'(digits[ValueBits-1-PowDigits]);
      end
      default: ;
    endcase
  end

  delay_line #(
      .data_t(state_t)
  ) u_state (
      .clk_i,
      .rst_ni,
      .valid_i(normal_valid),
      .data_i (state_d),
      .valid_o,
      .data_o (state_o)
  );

endmodule
