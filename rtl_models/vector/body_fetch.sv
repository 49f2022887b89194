// Reads the words of a body that one port of the vector pipe issues, again for every strip, ahead
// of the issue, and decodes them: segments of lane instructions, or groups of special ones.
//
// The order of a port: for each step 0, 1, ... and each phase in which the port has work, the part
// of this phase on strip `step - lag * phase`, if there is such a strip. The lag is 2 with four
// copies of the registers and one group, 1 otherwise.
//
// Timing: with kernel_start_i in cycle t, operation_o is valid from cycle t + 4 on until the last
// instruction of the kernel is taken, even if one is taken in every cycle. The instruction after it
// is on next_o, if it is here. kernel_i holds from kernel_start_i on; body_word_i is the word at
// body_pc_o of the last cycle with body_read_o.
module body_fetch
  import hwc_isa_pkg::*;
  import hwc_target_pkg::*;
  import hwc_stream_pkg::*;
  import hwc_core_pkg::*;
  import hwc_pipe_pkg::*;
#(
    parameter bit Special = 1'b0  // the port of the special instructions
) (
    input  logic              clk_i,
    input  logic              rst_ni,
    input  logic              kernel_start_i,
    input  kernel_t           kernel_i,
    output logic              body_read_o,
    output pc_t               body_pc_o,
    input  instruction_word_t body_word_i,
    output logic              valid_o,
    output body_operation_t   operation_o,
    output body_operation_t   next_o,
    input  logic              take_i
);

  // Four cycles pass between taking an instruction and having read the one that takes its room, and
  // there is one after the first at any time.
  localparam int unsigned Ahead = 5;
  localparam int unsigned AheadBits = $clog2(Ahead + 1);

  logic read, room;

  pulse_counter #(
      .Bits   (AheadBits),
      .Initial(Ahead)
  ) u_room (
      .clk_i,
      .rst_ni,
      .put_i  (take_i),
      .take_i (read),
      .some_o (room)
  );

  // Where the words of a phase begin and end.
  // verilator lint_off UNUSEDSIGNAL
  body_order_t body;  // what is the other port's
  // verilator lint_on UNUSEDSIGNAL
  phase_t phase_first, phase_last;
  logic lags;

  always_comb begin
    body = kernel_i.body;
    phase_first = Special ? '0 : body.lane_first;
    phase_last = Special ? body.special_last : body.lane_last;
    lags = phase_first != phase_last && body.special_last == '0
        && body.copies == copies_t'(CopiesMax);
  end

  // What the port does in a phase.
  typedef struct packed {
    pc_t first;
    pc_t after;
    pc_t lead;  // the instruction with which the group may begin, or when its result is there
    logic leads;  // there is one
    logic lead_waits;
    logic one_word;
  } part_words_t;

  function automatic part_words_t part_of(phase_words_t [CopiesMax-1:0] phases, phase_t number);
    phase_words_t words;

    words = phases[number];
    if (Special) part_of.first = words.segment_end;
    else part_of.first = number == '0 ? '0 : phases[number-1'b1].group_end;
    part_of.after = Special ? words.group_end : words.segment_end;
    part_of.lead = words.has_lead ? words.lead : part_of.first;
    part_of.leads = words.group_end != words.segment_end;
    part_of.lead_waits = words.has_lead;
    part_of.one_word = part_of.first + 1'b1 == part_of.after;
  endfunction

  // The place in the order: a step has the phases from its first to its last. Step after step it
  // has one more, up to the port's last phase, and after the last strip has begun one fewer at the
  // front. With a lag of 2 there are two phases: the second begins one step later (apart_q), if
  // there is a second strip, and ends one step later.
  logic active_d, active_q, last_d, last_q;  // the part's last word
  part_words_t words_d, words_q, words_next;  // of phase_q, and of the phase that comes next
  part_words_t [CopiesMax-1:0] parts_q;  // of all phases, from the cycle after the start on
  pc_t index_d, index_q;
  phase_t phase_d, phase_q, step_first_d, step_first_q, step_last_d, step_last_q, phase_next;
  strip_slot_t slot_d, slot_q, step_slot_d, step_slot_q;  // of the part, of the step's first
  // After the step's first part. They are counted a cycle later than whether some are left.
  strip_count_t strips_left_d, strips_left_q;
  logic strip_begun_d, strip_begun_q, more_strips_d, more_strips_q, step_ends;
  logic apart_d, apart_q, repeats;

  always_comb begin
    read = active_q && room;
    step_ends = phase_q == step_last_q;
    // The step after the last strip has begun is for the strip before it.
    repeats = apart_q && !more_strips_q && step_first_q == phase_last;
    phase_next = phase_q + 1'b1;
    if (step_ends) phase_next = step_first_q + phase_t'(!more_strips_q && !repeats);
    words_next = kernel_start_i ? part_of(body.phases, phase_first) : parts_q[phase_next];

    active_d = active_q;
    last_d = last_q;
    index_d = index_q;
    phase_d = phase_q;
    words_d = words_q;
    slot_d = slot_q;
    step_first_d = step_first_q;
    step_last_d = step_last_q;
    step_slot_d = step_slot_q;
    strips_left_d = strips_left_q - strip_count_t'(strip_begun_q);
    strip_begun_d = 1'b0;
    more_strips_d = more_strips_q;
    apart_d = apart_q;
    if (read) begin
      last_d = last_q ? words_next.one_word : index_q + pc_t'(2) == words_q.after;
      index_d = last_q ? words_next.first : index_q + 1'b1;
      if (last_q) begin
        phase_d = phase_next;
        words_d = words_next;
        slot_d = slot_q - strip_slot_t'(apart_q) - 1'b1;
        if (step_ends) begin
          slot_d = step_slot_q;
          if (more_strips_q || repeats) slot_d = step_slot_q + 1'b1;
          else if (apart_q) slot_d = step_slot_q - 1'b1;
          step_slot_d = slot_d;
          step_first_d = phase_next;
          apart_d = (apart_q || (lags && more_strips_q)) && !repeats;
          if (step_last_q != phase_last && (apart_q || !apart_d)) step_last_d = step_last_q + 1'b1;
          if (more_strips_q) begin
            strip_begun_d = 1'b1;
            more_strips_d = strips_left_q != strip_count_t'(1) + strip_count_t'(strip_begun_q);
          end else if (step_first_q == phase_last) begin
            active_d = repeats;
          end
        end
      end
    end
    if (kernel_start_i) begin
      active_d = Special ? body.specials : body.lanes;
      phase_d = phase_first;
      words_d = words_next;
      slot_d = '0;
      step_first_d = phase_first;
      step_last_d = phase_first;
      step_slot_d = '0;
      strips_left_d = strips_of(kernel_i.points) - 1'b1;
      strip_begun_d = 1'b0;
      more_strips_d = kernel_i.points > size_t'(Vlen);
      apart_d = 1'b0;
      last_d = words_next.one_word;
      index_d = words_next.first;
    end
  end

  assign body_read_o = read;
  assign body_pc_o = kernel_i.body_first + index_q;

  // The word that was read, and what its place means. A memory is slow, so the word has a register
  // while its opcode is looked up.
  typedef struct packed {
    phase_t phase;
    strip_slot_t slot;
    logic leads;
    logic lead_waits;
    logic last;
    logic last_strip;
  } place_t;

  logic read_q, word_valid_q;
  place_t place_d, place_q, word_place_q;
  // verilator lint_off UNUSEDSIGNAL
  vector_word_t word_q;  // without its opcode
  instruction_t info;    // the sequencer has checked the word
  // verilator lint_on UNUSEDSIGNAL
  body_operation_t operation;
  operand_t [Sources-1:0] sources;
  // Of each register the first source that is it; Sources if none is. They are to stay as they are:
  // mapped together with what the memory says, which comes late, they would end up after it.
  (* keep *) logic [RegisterMax-1:0][$clog2(Sources+1)-1:0] first_source;
  register_set_t [Sources-1:0] source_sets;
  register_set_t destination_set;
  register_index_t destination_register;
  register_index_t [Sources-1:0] source_registers;

  // A register that the port writes, as a set.
  function automatic register_set_t register_set(operand_t code);
    for (int unsigned i = 0; i < RegisterMax; i++) begin
      if (Special) register_set[i] = i < ResultCount && code == ResultFirst + operand_t'(i);
      else register_set[i] = i < VectorRegisters && code == VectorFirst + operand_t'(i);
    end
  endfunction

  instruction_rom u_info (
      .clk_i,
      .read_i  (1'b1),
      .opcode_i(body_word_i[OpcodeBits-1:0]),
      .info_o  (info)
  );

  always_comb begin
    place_d.phase = phase_q;
    place_d.slot = slot_q;
    place_d.leads = words_q.leads && index_q == words_q.lead;
    place_d.lead_waits = words_q.lead_waits;
    place_d.last = last_q;
    place_d.last_strip = phase_q == step_first_q && !more_strips_q && !repeats;
  end

  // What the word says by itself. The memory answers late: of what it says, as little as possible
  // is worked out in the same cycle.
  always_comb begin
    sources = {word_q.c, word_q.b, word_q.a};
    destination_set = register_set(word_q.dst);
    destination_register = register_of(body.copies, word_place_q.slot, word_q.dst);
    for (int unsigned i = 0; i < Sources; i++) begin
      source_sets[i] = register_set(sources[i]);
      source_registers[i] = register_of(body.copies, word_place_q.slot, sources[i]);
    end
  end

  always_comb begin
    first_source = '1;
    for (int unsigned i = Sources; i > 0; i--) begin
      for (int unsigned j = 0; j < RegisterMax; j++) begin
        if (source_sets[i-1][j]) first_source[j] = 2'(i - 1);
      end
    end
  end

  always_comb begin
    operation.op = info.op;
    operation.unit = info.unit;
    operation.destination = word_q.dst;
    for (int unsigned i = 0; i < Sources; i++) operation.origins[i] = origin_of(sources[i]);
    operation.destination_register = destination_register;
    operation.source_registers = source_registers;
    operation.writes = destination_set;
    for (int unsigned i = 0; i < Sources; i++) operation.used[i] = 32'(info.sources) > i;
    for (int unsigned i = 0; i < RegisterMax; i++) begin
      operation.reads[i] = info.sources > first_source[i];
    end
    operation.immediate = word_q.imm;
    operation.phase = word_place_q.phase;
    operation.slot = word_place_q.slot;
    operation.begins_strip = word_place_q.phase == '0 && (!Special || body.begins_special);
    operation.takes_buffer = word_place_q.phase == body.first_output
        && (!Special || operation.begins_strip);
    operation.leads = word_place_q.leads;
    operation.lead_waits = word_place_q.lead_waits;
    operation.last = word_place_q.last;
    operation.ends_strip = word_place_q.phase == phase_last;
    operation.last_strip = word_place_q.last_strip;
  end

  shift_queue #(
      .data_t(body_operation_t),
      .Depth (Ahead)
  ) u_operations (
      .clk_i,
      .rst_ni,
      .push_i  (word_valid_q),
      .data_i  (operation),
      .take_i,
      .some_o  (valid_o),
      .oldest_o(operation_o),
      .next_o
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q      <= 1'b0;
      strip_begun_q <= 1'b0;
      read_q        <= 1'b0;
      word_valid_q  <= 1'b0;
    end else begin
      active_q      <= active_d;
      strip_begun_q <= strip_begun_d;
      read_q        <= read;
      word_valid_q  <= read_q;
    end
  end

  always_ff @(posedge clk_i) begin
    last_q        <= last_d;
    index_q       <= index_d;
    phase_q       <= phase_d;
    words_q       <= words_d;
    for (int unsigned i = 0; i < CopiesMax; i++) begin
      parts_q[i] <= part_of(body.phases, phase_t'(i));
    end
    slot_q        <= slot_d;
    step_first_q  <= step_first_d;
    step_last_q   <= step_last_d;
    step_slot_q   <= step_slot_d;
    strips_left_q <= strips_left_d;
    more_strips_q <= more_strips_d;
    apart_q       <= apart_d;
    place_q       <= place_d;
    word_q        <= body_word_i;
    word_place_q  <= place_q;
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      if (word_valid_q) assert (unit_is_special(operation.unit) == Special)
      else $error("got an instruction of the other port");
      if (active_q) assert (last_q == (index_q + 1'b1 == words_q.after))
      else $error("the last word of a part is not seen");
      if (kernel_start_i) assert (!active_q && !read_q && !word_valid_q && !valid_o)
      else $error("a kernel begins before the last one is issued");
    end
  end
`endif

endmodule
