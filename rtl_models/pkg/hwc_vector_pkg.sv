// What all arithmetic units share. Operations, types and latencies are generated into hwc_isa_pkg;
// what a float is stands in hwc_float_pkg.
package hwc_vector_pkg;

  // A package offers more than one design uses, and a function reads some fields of a struct.
  // verilator lint_off UNUSEDPARAM
  // verilator lint_off UNUSEDSIGNAL

  localparam int unsigned LaneBits = 32;
  typedef logic [LaneBits-1:0] lane_t;

  // What a unit takes in a cycle; b and c mean nothing to an operation that has no such operand.
  typedef struct packed {
    hwc_isa_pkg::operation_t op;
    lane_t a;
    lane_t b;
    lane_t c;
  } operands_t;

  // Cycles of a unit's latency that are not its own: operands are read, the result is written.
  localparam int unsigned RegisterStages = 2;

  // Whether an operation is a unit's: the pipe gives a unit only its own.
  function automatic logic belongs_to(hwc_isa_pkg::unit_e unit, hwc_isa_pkg::operation_t op);
    // verilator no_inline_task
    return hwc_isa_pkg::unit_of(op) == unit;
  endfunction

endpackage
