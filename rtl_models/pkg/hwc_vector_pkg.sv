// What all arithmetic units share. Operations, types and latencies are generated into hwc_isa_pkg;
// what a float is stands in hwc_float_pkg.
package hwc_vector_pkg;

  // A package offers more than one design uses, and a function reads some fields of a struct.
  // verilator lint_off UNUSEDPARAM
  // verilator lint_off UNUSEDSIGNAL

  localparam int unsigned LaneBits = 32;
  typedef logic [LaneBits-1:0] lane_t;

  // What fp_fma takes for its operands: a + b is a * 1 + b, and a * b is a * b + -0.
  typedef struct packed {
    logic sum;
    logic product;
  } fused_form_t;

  function automatic fused_form_t fused_form(hwc_isa_pkg::operation_t op);
    fused_form.sum = op.operation inside {hwc_isa_pkg::OperationAdd, hwc_isa_pkg::OperationSub};
    fused_form.product = op.operation == hwc_isa_pkg::OperationMul;
  endfunction

  // What a unit takes in a cycle; b and c mean nothing to an operation that has no such operand.
  typedef struct packed {
    hwc_isa_pkg::operation_t op;
    fused_form_t form;  // of op, decoded already
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
