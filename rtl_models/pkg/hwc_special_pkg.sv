// What the stages of the special-function unit hand on to each other.
//
// The unit is one pipeline in the order of the longest function, pow: unpack, argument of the first
// table, first table, product, power, 2^f, 1 + 2^f, quotient, finish, pack. Every function enters
// it where it has to; the stages it does not need pass its state on.
package hwc_special_pkg;
  import hwc_isa_pkg::*;
  import hwc_float_pkg::*;
  import hwc_vector_pkg::*;

  // A package offers more than one design uses.
  // verilator lint_off UNUSEDPARAM

  // Exponents that stand for infinity and for zero: far outside the exponents of a lane, so that
  // what becomes of them rounds to the infinity, zero or one that it should be.
  localparam exponent_t InfiniteExponent = exponent_t'(400);
  localparam exponent_t ZeroExponent = -InfiniteExponent;

  // Fraction bits of most values: the tables' unit is 2^-36.
  localparam int unsigned UnitBits = 36;
  localparam int unsigned OffsetBits = 29;
  localparam int unsigned IndexBits = 10;
  localparam int unsigned ValueBits = 63;
  localparam int unsigned FactorBits = 33;
  localparam int unsigned QuotientBits = UnitBits + 2;

  // Bits of an argument that choose the segment of a table.
  localparam int unsigned LogSegmentBits = 8;
  localparam int unsigned ErfSegmentBits = 8;
  localparam int unsigned SineSegmentBits = 7;
  localparam int unsigned RootSegmentBits = 6;
  localparam int unsigned RecipSegmentBits = 7;
  localparam int unsigned TanhSegmentBits = 6;

  typedef struct packed {
    operation_e op;
    type_e result_type;
    logic settled;  // the result is known, whatever the stages make of the operands
    lane_t settled_result;
    logic negative;  // sign of the result
    logic power_negative;  // sign of the power of two
    // |x| = significand * 2^(exponent - FractionBits), where the top bit of the significand is set.
    // The same for y.
    significand_t significand;
    exponent_t exponent;
    significand_t y_significand;
    exponent_t y_exponent;
    // The magnitude on its way to the result: value * 2^scale. While a power of two is computed,
    // `scale` is its exponent, or the exponent of 1 + 2^f.
    logic [ValueBits-1:0] value;
    exponent_t scale;
    // Row of the next table, and the offset inside its segment in units of 2^-29.
    logic [IndexBits-1:0] index;
    logic [OffsetBits-1:0] offset;
    // What the first table's value is multiplied by.
    logic signed [FactorBits-1:0] factor;
  } state_t;

  typedef enum logic [1:0] {
    TableEntry,
    TableExp2,
    TableQuotient
  } table_e;

  // Whether a function goes through 2^f.
  function automatic logic takes_power(operation_e op);
    return op inside {OperationExp, OperationSigmoid, OperationTanh, OperationPow};
  endfunction

  // Whether the result is a logarithm.
  function automatic logic is_logarithm(operation_e op);
    return op inside {OperationLog, OperationLog2, OperationLog10};
  endfunction

  function automatic logic takes_logarithm(operation_e op);
    return is_logarithm(op) || op == OperationPow;
  endfunction

  function automatic logic takes_angle(operation_e op);
    return op inside {OperationSin, OperationCos};
  endfunction

  // The offset inside the segment that the first `segment_bits` after the leading one have chosen;
  // they, and the leading one, are shifted out.
  function automatic logic [OffsetBits-1:0] offset_of(significand_t significand,
                                                      int unsigned segment_bits);
    return OffsetBits'(significand) << (OffsetBits - FractionBits + segment_bits);
  endfunction

  // tanh below 1/2 comes from a table of its own, since 1 - 2 / (1 + e^2x) would cancel.
  function automatic logic is_small_tanh(operation_e op, exponent_t exponent);
    return op == OperationTanh && exponent < -exponent_t'(1);
  endfunction

  function automatic logic takes_table(table_e which, operation_e op);
    unique case (which)
      TableEntry: begin
        return takes_logarithm(op) || takes_angle(op) || op inside {OperationErf, OperationRsqrt};
      end
      TableExp2: return takes_power(op);
      default: return op inside {OperationSigmoid, OperationTanh, OperationRecip};
    endcase
  endfunction

endpackage
