// Reads the words of a body that one port of the vector pipe issues, again for every strip, ahead
// of the issue, and decodes them: segments of lane instructions, or groups of special ones.
//
// The order of a port: for each step 0, 1, ... and each phase in which the port has work, the part
// of this phase on strip `step - phase`, if there is such a strip.
//
// Timing: with kernel_start_i in cycle t, operation_o is valid from cycle t + 3 on until the last
// instruction of the kernel is taken, even if one is taken in every cycle. kernel_i holds from
// kernel_start_i on; body_word_i is the word at body_pc_o of the last cycle with body_read_o.
module body_fetch
  import hwc_isa_pkg::*;
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
    input  logic              take_i
);

  // Three cycles pass between taking an instruction and having read the one that takes its room.
  localparam int unsigned Ahead = 4;
  localparam int unsigned AheadBits = $clog2(Ahead + 1);

  logic read;
  logic [AheadBits-1:0] room;

  pulse_counter #(
      .Bits   (AheadBits),
      .Initial(Ahead)
  ) u_room (
      .clk_i,
      .rst_ni,
      .clear_i(1'b0),
      .put_i  (take_i),
      .take_i (read),
      .count_o(room)
  );

  // Where the words of a phase begin and end.
  // verilator lint_off UNUSEDSIGNAL
  body_order_t body;  // what is the other port's
  // verilator lint_on UNUSEDSIGNAL
  phase_t phase_first, phase_last;

  always_comb begin
    body = kernel_i.body;
    phase_first = Special ? '0 : body.lane_first;
    phase_last = Special ? body.special_last : body.lane_last;
  end

  function automatic pc_t words_begin(phase_words_t [CopiesMax-1:0] phases, phase_t number);
    if (Special) return phases[number].segment_end;
    return number == '0 ? '0 : phases[number-1'b1].group_end;
  endfunction

  // The place in the order, and where its step began: strip after strip in the first phase, and
  // from the last strip on phase after phase.
  logic active_d, active_q, last, in_last_strip;
  phase_words_t words;
  pc_t index_d, index_q;
  phase_t phase_d, phase_q, step_phase_d, step_phase_q;
  strip_count_t strips, strip_d, strip_q, step_strip_d, step_strip_q;

  always_comb begin
    strips = strips_of(kernel_i.points);
    read = active_q && room != '0;
    words = body.phases[phase_q];
    last = index_q + 1'b1 == (Special ? words.group_end : words.segment_end);
    in_last_strip = strip_q + 1'b1 == strips;
    active_d = active_q;
    index_d = index_q;
    phase_d = phase_q;
    strip_d = strip_q;
    step_phase_d = step_phase_q;
    step_strip_d = step_strip_q;
    if (read) begin
      index_d = index_q + 1'b1;
      if (last) begin
        if (phase_q != phase_last && strip_q != '0) begin
          phase_d = phase_q + 1'b1;
          strip_d = strip_q - 1'b1;
        end else begin
          if (step_strip_q + 1'b1 != strips) step_strip_d = step_strip_q + 1'b1;
          else if (step_phase_q != phase_last) step_phase_d = step_phase_q + 1'b1;
          else active_d = 1'b0;
          phase_d = step_phase_d;
          strip_d = step_strip_d;
        end
        index_d = words_begin(body.phases, phase_d);
      end
    end
    if (kernel_start_i) begin
      active_d = Special ? body.specials : body.lanes;
      phase_d = phase_first;
      strip_d = '0;
      step_phase_d = phase_first;
      step_strip_d = '0;
      index_d = words_begin(body.phases, phase_first);
    end
  end

  assign body_read_o = read;
  assign body_pc_o = kernel_i.body_first + index_q;

  // The word that was read, and what its place means.
  typedef struct packed {
    phase_t phase;
    strip_slot_t slot;
    logic leads;
    logic lead_waits;
    logic last;
    logic last_strip;
  } place_t;

  logic read_q, ready;
  place_t place_d, place_q;
  vector_word_t word;
  // verilator lint_off UNUSEDSIGNAL
  instruction_t info;  // the sequencer has checked the word
  // verilator lint_on UNUSEDSIGNAL
  body_operation_t operation;

  always_comb begin
    place_d.phase = phase_q;
    place_d.slot = strip_slot_t'(strip_q);
    place_d.leads = words.group_end != words.segment_end
        && index_q == (words.has_lead ? words.lead : words_begin(body.phases, phase_q));
    place_d.lead_waits = words.has_lead;
    place_d.last = last;
    place_d.last_strip = in_last_strip;
  end

  always_comb begin
    word = body_word_i;
    info = instruction(word.opcode);
    operation.op = info.op;
    operation.unit = info.unit;
    operation.destination = word.dst;
    operation.sources = {word.c, word.b, word.a};
    operation.destination_register = register_of(body.copies, place_q.slot, word.dst);
    for (int unsigned i = 0; i < Sources; i++) begin
      operation.source_registers[i] =
          register_of(body.copies, place_q.slot, operation.sources[i]);
      operation.used[i] = 32'(info.sources) > i;
    end
    operation.immediate = word.imm;
    operation.phase = place_q.phase;
    operation.slot = place_q.slot;
    operation.begins_strip = place_q.phase == '0 && (!Special || body.begins_special);
    operation.takes_buffer = place_q.phase == body.first_output
        && (!Special || operation.begins_strip);
    operation.leads = place_q.leads;
    operation.lead_waits = place_q.lead_waits;
    operation.last = place_q.last;
    operation.ends_strip = place_q.phase == phase_last;
    operation.last_strip = place_q.last_strip;
  end

  fifo #(
      .data_t(body_operation_t),
      .Depth (Ahead)
  ) u_operations (
      .clk_i,
      .rst_ni,
      .valid_i(read_q),
      .ready_o(ready),
      .data_i (operation),
      .valid_o,
      .ready_i(take_i),
      .data_o (operation_o)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
      read_q   <= 1'b0;
    end else begin
      active_q <= active_d;
      read_q   <= read;
    end
  end

  always_ff @(posedge clk_i) begin
    index_q      <= index_d;
    phase_q      <= phase_d;
    strip_q      <= strip_d;
    step_phase_q <= step_phase_d;
    step_strip_q <= step_strip_d;
    place_q      <= place_d;
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      if (read_q) begin
        assert (ready)
        else $error("got an instruction while there is no room");
        assert (unit_is_special(operation.unit) == Special)
        else $error("got an instruction of the other port");
      end
      if (kernel_start_i) assert (!active_q && !read_q && !valid_o)
      else $error("a kernel begins before the last one is issued");
    end
  end
`endif

endmodule
