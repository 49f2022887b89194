// Types and functions that the arithmetic units share. Opcodes and latencies are not here: they are
// generated into hwc_isa_pkg.
package hwc_vector_pkg;

  // A package offers more than one design uses, and a function that classifies a float or takes it
  // apart reads some of its fields.
  // verilator lint_off UNUSEDPARAM
  // verilator lint_off UNUSEDSIGNAL

  localparam int unsigned LaneBits = 32;
  typedef logic [LaneBits-1:0] lane_t;

  // Cycles of a unit's latency that are not its own: operands are read, the result is written.
  localparam int unsigned RegisterStages = 2;

  // Whether an instruction is a unit's: the pipe gives a unit only its own.
  function automatic logic belongs_to(hwc_isa_pkg::unit_e unit, hwc_isa_pkg::opcode_e op);
    hwc_isa_pkg::instruction_t summary;
    summary = hwc_isa_pkg::instruction(op);
    return summary.unit == unit;
  endfunction

  function automatic lane_t sign_extend_byte(logic [7:0] value);
    return {{24{value[7]}}, value};
  endfunction

  function automatic lane_t sign_extend_half(logic [15:0] value);
    return {{16{value[15]}}, value};
  endfunction

  // Every NaN that an arithmetic instruction returns.
  localparam lane_t CanonicalNan = 32'h7fc0_0000;

  // IEEE 754 binary32.
  localparam int unsigned ExponentBits = 8;
  localparam int unsigned FractionBits = 23;
  localparam int unsigned ExponentBias = 127;
  localparam logic [ExponentBits-1:0] ExponentMax = '1;  // infinities and NaNs

  // Exponents inside the units, signed; beyond those of binary32 wherever a unit needs it.
  typedef logic signed [11:0] exponent_t;

  typedef struct packed {
    logic sign;
    logic [ExponentBits-1:0] exponent;
    logic [FractionBits-1:0] fraction;
  } float_t;

  // A fraction with its hidden bit.
  localparam int unsigned SignificandBits = FractionBits + 1;
  typedef logic [SignificandBits-1:0] significand_t;

  function automatic logic is_nan(float_t value);
    return value.exponent == ExponentMax && value.fraction != '0;
  endfunction

  function automatic logic is_infinite(float_t value);
    return value.exponent == ExponentMax && value.fraction == '0;
  endfunction

  function automatic logic is_zero(float_t value);
    return value.exponent == '0 && value.fraction == '0;
  endfunction

  function automatic float_t infinity(logic sign);
    return '{sign: sign, exponent: ExponentMax, fraction: '0};
  endfunction

  function automatic float_t zero(logic sign);
    return '{sign: sign, exponent: '0, fraction: '0};
  endfunction

  // A subnormal number has the exponent of the smallest normal one, and no hidden bit.
  function automatic logic [ExponentBits-1:0] scale_of(float_t value);
    return value.exponent == '0 ? 8'd1 : value.exponent;
  endfunction

  function automatic significand_t significand_of(float_t value);
    return {value.exponent != '0, value.fraction};
  endfunction

  // Rounds to nearest even and packs. The significand is normalised, or its exponent is 1; `guard`
  // is the first bit below it and `sticky` tells whether any bit below that is set. The hidden bit
  // is added to the exponent rather than dropped, so that subnormal results and a carry out of the
  // fraction need no case of their own. An exponent of 255 gives infinity.
  function automatic float_t round_and_pack(logic sign, logic [ExponentBits-1:0] exponent,
                                            significand_t significand, logic guard,
                                            logic sticky);
    logic [ExponentBits+FractionBits:0] magnitude;
    logic round_up;
    round_up = guard && (sticky || significand[0]);
    magnitude = {1'b0, exponent - 8'd1, FractionBits'(0)} + 32'(significand) + 32'(round_up);
    if (magnitude >= {1'b0, ExponentMax, FractionBits'(0)}) return infinity(sign);
    return {sign, magnitude[ExponentBits+FractionBits-1:0]};
  endfunction

endpackage
