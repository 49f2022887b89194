// Types of the vector pipe: a decoded instruction of a body, and what travels with a beat of it.
package hwc_pipe_pkg;

  // A package offers more than one design uses.
  // verilator lint_off UNUSEDPARAM
  // verilator lint_off UNUSEDSIGNAL

  import hwc_isa_pkg::*;
  import hwc_target_pkg::*;
  import hwc_stream_pkg::*;
  import hwc_core_pkg::*;
  export hwc_core_pkg::Sources;

  localparam int unsigned SpecialSources = 2;  // of one of the special rate: a, b
  localparam int unsigned ReadOperands = Sources + SpecialSources;

  // A row of lanes holds Parts beats of an instruction of the special rate.
  localparam int unsigned RateShift = $clog2(SpecialRate);
  localparam int unsigned Parts = Lanes / SpecialRate;
  typedef logic [(Parts > 1 ? $clog2(Parts) : 1)-1:0] part_t;
  typedef lane_t [SpecialRate-1:0] part_row_t;

  // Numbers of a vector register or of a result register, those of all copies.
  localparam int unsigned RegisterMax =
      VectorRegisters > MachineResultRegisters ? VectorRegisters : MachineResultRegisters;
  typedef logic [$clog2(RegisterMax)-1:0] register_index_t;
  typedef logic [RegisterMax-1:0] register_set_t;  // of a strip

  // Buffers, timers and copies of the registers are those of a strip's number modulo StripSlots.
  // A strip has one from its first instruction to its end, and no more strips are at work.
  localparam int unsigned StripSlots = CopiesMax;
  typedef logic [$clog2(StripSlots)-1:0] strip_slot_t;
  typedef logic [StripSlots-1:0] strip_slots_t;  // a bit for each

  function automatic strip_slots_t slot_mask(strip_slot_t slot);
    return strip_slots_t'(1) << slot;
  endfunction

  // The number of a strip's register among those of all copies.
  function automatic register_index_t in_copy(
      int unsigned registers, copies_t copies, strip_slot_t slot, register_index_t number);
    unique case (copies)
      copies_t'(4): return register_index_t'(registers / 4) * register_index_t'(slot) + number;
      copies_t'(2): return register_index_t'(registers / 2) * register_index_t'(slot[0]) + number;
      default: return number;
    endcase
  endfunction

  // A register that an operand code names; other codes give any.
  function automatic register_index_t register_of(
      copies_t copies, strip_slot_t slot, operand_t code);
    return is_result(code)
        ? in_copy(MachineResultRegisters, copies, slot, register_index_t'(code - ResultFirst))
        : in_copy(VectorRegisters, copies, slot, register_index_t'(code - VectorFirst));
  endfunction

  // Where an operand comes from.
  typedef struct packed {
    logic immediate;
    logic vector;
    logic result;
    logic [InputStreams-1:0] streams;  // one of them, or none
  } origin_t;

  function automatic origin_t origin_of(operand_t code);
    origin_t origin;
    origin.immediate = is_immediate(code);
    origin.vector = is_vector(code);
    origin.result = is_result(code);
    for (int unsigned i = 0; i < InputStreams; i++) begin
      origin.streams[i] = code == InputFirst + operand_t'(i);
    end
    return origin;
  endfunction

  // An instruction of a body, on one strip. `origins` that are not `used` mean nothing. `reads` and
  // `writes` are registers of those that the port writes. Part means a segment or a group: the
  // instructions of a phase that a port issues.
  typedef struct packed {
    operation_t op;
    unit_e unit;
    operand_t destination;
    register_index_t destination_register;
    origin_t [Sources-1:0] origins;
    register_index_t [Sources-1:0] source_registers;
    logic [Sources-1:0] used;
    register_set_t reads;
    register_set_t writes;
    lane_t immediate;
    phase_t phase;
    strip_slot_t slot;
    logic begins_strip;  // its part does: nothing of the strip comes before
    logic takes_buffer;  // its part needs a result buffer first
    logic leads;         // the group of its phase may begin after it, or when its result is there:
    logic lead_waits;
    logic last;          // of its part
    logic ends_strip;    // its part is the strip's last on this port
    logic last_strip;    // of the kernel
  } body_operation_t;

  // A beat of a port.
  typedef struct packed {
    body_operation_t operation;
    strip_row_t row;
    part_t part;
    logic ends_strip;  // the port's last of the strip
  } port_beat_t;

  // The rows that a port's next beat reads if it reads any: of these registers, or of the landing
  // buffers of the strip.
  typedef struct packed {
    origin_t [Sources-1:0] origins;
    register_index_t [Sources-1:0] registers;
    strip_slot_t slot;
    strip_row_t row;
  } next_rows_t;

  // A beat with its operands.
  typedef struct packed {
    operation_t op;
    hwc_vector_pkg::fused_form_t form;
    unit_e unit;
    part_t part;
  } operand_beat_t;

  // Where the result of a beat goes.
  typedef struct packed {
    operand_t destination;
    register_index_t index;  // of its register
    strip_slot_t slot;
    strip_row_t row;
    part_t part;
    logic ends_strip;  // the port's last of the strip
  } result_beat_t;

  // What the pipe counts in a cycle: beginnings, beats, and causes of a cycle without one.
  typedef struct packed {
    logic strip;
    logic lane_instruction;
    logic special_instruction;
    logic lane_busy;
    logic lane_stall_dependence;
    logic lane_stall_input;
    logic lane_stall_special;
    logic lane_stall_output;
    logic special_busy;
    logic special_stall;
  } pipe_counts_t;

  // verilator lint_on UNUSEDSIGNAL
  // verilator lint_on UNUSEDPARAM

endpackage
