// What all arithmetic units share. Opcodes and latencies are generated into hwc_isa_pkg; what floats
// are is in hwc_float_pkg.
package hwc_vector_pkg;

  // A package offers more than one design uses, and a function reads some fields of a struct.
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

endpackage
