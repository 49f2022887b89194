// Issues the instructions of a body on every strip: lane instructions on one port, special ones on
// another, side by side on different strips.
//
// Timing, with the names of the timing contract: a segment A_g(s) begins in the first cycle from
// the end of the port's work before on in which
//   the strip's inputs have landed (inputs_due_i, a cycle before, but not before go_i) and a copy
//   of the registers is free, if it is the strip's first part; else the results of the group
//   X_(g-1)(s) come before they are read, which is so c + MachineSpecial - b cycles after the first
//   beat of its last instruction; b and c are the beats of a lane and a special instruction;
//   a result buffer is free, if the phase is the first that writes an output: MachineStoreStrips of
//   them, one again MachineSlotFree + 1 cycles after strip_stored_i.
// A group X_g(s) waits for the first two if it is the strip's first part, and for the buffer then;
// else until a cycle after its segment has begun, or MachineLane cycles after the begin of the last
// instruction that it reads of.
// strip_end_o is high in cycle E(s) - 1: inputs and registers of the strip are free. counts_o is
// high in the cycles it counts.
module vector_issue
  import hwc_isa_pkg::*;
  import hwc_target_pkg::*;
  import hwc_stream_pkg::*;
  import hwc_core_pkg::*;
  import hwc_pipe_pkg::*;
(
    input  logic            clk_i,
    input  logic            rst_ni,
    input  logic            kernel_start_i,
    input  logic            go_i,
    // verilator lint_off UNUSEDSIGNAL
    input  kernel_t         kernel_i,         // without its words
    // verilator lint_on UNUSEDSIGNAL
    input  logic            lane_valid_i,
    input  body_operation_t lane_operation_i,
    input  body_operation_t lane_next_i,
    output logic            lane_take_o,
    input  logic            special_valid_i,
    input  body_operation_t special_operation_i,
    input  body_operation_t special_next_i,
    output logic            special_take_o,
    input  logic            inputs_due_i,     // of the next strip, if none begins now
    input  logic            strip_stored_i,
    output logic            lane_beat_o,
    output port_beat_t      lane_data_o,
    output next_rows_t      lane_next_rows_o,
    output logic            special_beat_o,
    output port_beat_t      special_data_o,
    output next_rows_t      special_next_rows_o,
    output logic            strip_end_o,
    output pipe_counts_t    counts_o
);

  localparam int unsigned BackMax = MachineSpecial + Vlen / SpecialRate;
  typedef logic [$clog2(BackMax+1)-1:0] back_t;
  typedef logic [$clog2(MachineLane+1)-1:0] lead_t;

  // Beats of an instruction with 2^shift points in each.
  function automatic back_t beats_of(strip_points_t points, int unsigned shift);
    return back_t'((32'(points) + (1 << shift) - 1) >> shift);
  endfunction

  function automatic back_t back_of(strip_points_t points);
    return back_t'(MachineSpecial) + beats_of(points, RateShift) - beats_of(points, LaneShift);
  endfunction

  if (MachineLane < 3) begin : gen_lead_check
    $error("an instruction of the lanes takes %0d cycles, expected 3 or more", MachineLane);
  end
  if (MachineSlotFree < 1) begin : gen_slot_check
    $error("a buffer is free a cycle after its last use, or later");
  end
  if (MachineSpecial < 3 || SpecialRate > Lanes) begin : gen_back_check
    $error("a group takes %0d cycles to its end, expected 3 or more", MachineSpecial);
  end

  logic running_d, running_q, running, strip_begins, buffer_taken;
  logic lane_begin, lane_active, lane_instruction, lane_strip_end;
  logic special_begin, special_instruction;

  // They are settled long before the kernel begins.
  strip_points_t last_points_q;
  back_t last_back_q;

  always_ff @(posedge clk_i) begin
    last_points_q <= last_points_of(kernel_i.points);
    last_back_q   <= back_of(last_points_q);
  end

  always_comb begin
    running = running_q || go_i;
    running_d = running && !kernel_start_i;
    strip_begins = (lane_begin && lane_operation_i.begins_strip)
        || (special_begin && special_operation_i.begins_strip);
    buffer_taken = (lane_begin && lane_operation_i.takes_buffer)
        || (special_begin && special_operation_i.takes_buffer);
  end

  // Strips at work, and result buffers. Without strips at work, a copy of the registers is free for
  // the next kernel, whatever the number of its copies.
  copies_t strips_d, strips_q;
  logic copy_free_d, copy_free_q, buffer_due;

  always_comb begin
    strips_d = strips_q + copies_t'(strip_begins) - copies_t'(strip_end_o);
    copy_free_d = strip_end_o
        || (copy_free_q && !(strip_begins && strips_q + 1'b1 == kernel_i.body.copies));
  end

  // A buffer counts a cycle before it may be used.
  pulse_counter #(
      .Bits   (OutputSlotBits + 1),
      .Initial(MachineStoreStrips),
      .Delay  (MachineSlotFree - 1)
  ) u_buffers (
      .clk_i,
      .rst_ni,
      .put_i  (strip_stored_i),
      .take_i (buffer_taken),
      .some_o (buffer_due)
  );

  // From a segment to its group. A group that reads nothing of the segment may begin a cycle after
  // it; else it takes so long that the timer may be set a cycle after the instruction has begun.
  strip_slots_t lead_now, lead_open_q, lead_next, group_begins;
  logic lead_set_q;
  strip_slot_t lead_slot_q;
  // verilator lint_off UNUSEDSIGNAL
  strip_slots_t lead_due, lead_ready;  // the special port asks a cycle before
  // verilator lint_on UNUSEDSIGNAL

  strip_timer #(
      .DelayMax(MachineLane)
  ) u_leads (
      .clk_i,
      .rst_ni,
      .set_i  (lead_set_q),
      .slot_i (lead_slot_q),
      .delay_i(lead_t'(MachineLane - 1)),
      .take_i (group_begins & ~lead_open_q),
      .ready_o(lead_ready),
      .next_o (lead_next),
      .due_o  (lead_due)
  );

  // From a group to the next segment, or to the end of the strip if the body ends in the group. It
  // takes so long that the timer may be set a cycle after the instruction has begun.
  strip_slots_t group_next, group_due, group_take, final_d, final_q, ended;
  // verilator lint_off UNUSEDSIGNAL
  strip_slots_t group_ready;  // the lanes ask a cycle before
  // verilator lint_on UNUSEDSIGNAL
  logic group_set_q, group_final_q;
  strip_slot_t group_slot_q;
  back_t back_d, back_q;

  strip_timer #(
      .DelayMax(BackMax)
  ) u_backs (
      .clk_i,
      .rst_ni,
      .set_i  (group_set_q),
      .slot_i (group_slot_q),
      .delay_i(back_q),
      .take_i (group_take),
      .ready_o(group_ready),
      .next_o (group_next),
      .due_o  (group_due)
  );

  always_comb begin
    back_d = (special_operation_i.last_strip ? last_back_q : back_of(strip_points_t'(Vlen))) - 1'b1;
    final_d = final_q;
    if (group_set_q) final_d[group_slot_q] = group_final_q;
    ended = group_due & final_q;
  end

  always_comb begin
    lead_now = '0;
    if (lane_begin && lane_operation_i.leads && !lane_operation_i.lead_waits) begin
      lead_now = slot_mask(lane_operation_i.slot);
    end
    group_begins = '0;
    if (special_begin && !special_operation_i.begins_strip) begin
      group_begins = slot_mask(special_operation_i.slot);
    end
    group_take = ended;
    if (lane_begin && !lane_operation_i.begins_strip) begin
      group_take = group_take | slot_mask(lane_operation_i.slot);
    end
  end

  event_join u_ends (
      .clk_i,
      .rst_ni,
      .needed_i({kernel_i.body.ends_special, kernel_i.body.lanes}),
      .event_i ({ended != '0, lane_strip_end}),
      .event_o (strip_end_o)
  );

  // What each port waits for is known a cycle before, as if no part began now, and chosen by the
  // operation that will be the oldest. A part of the lanes, and one that begins a strip, takes more
  // than a cycle, so that it is right again when it is needed. A group may take one cycle only:
  // then what lets it begin does not count for the next group on the same strip. Of a kernel, the
  // first part has slot 0, and buffers are free.
  typedef struct packed {
    logic inputs;
    logic ready;
    logic buffer;
  } conditions_t;

  conditions_t strip_next;
  strip_slots_t groups_next, leads_next;
  conditions_t lane_first_d, lane_oldest_d, lane_next_d, lane_d, lane_q;
  conditions_t special_first_d, special_oldest_d, special_next_d, special_d;
  logic lane_may_q, special_may_q;

  function automatic conditions_t conditions_of(
      logic begins_strip, logic takes_buffer, strip_slot_t slot, conditions_t strip,
      strip_slots_t groups);
    return '{
        inputs: !begins_strip || strip.inputs,
        ready: begins_strip ? strip.ready : groups[slot],
        buffer: !takes_buffer || strip.buffer
    };
  endfunction

  always_comb begin
    strip_next = '{
        inputs: inputs_due_i && running_d,
        ready: strip_end_o || copy_free_q,
        buffer: buffer_due
    };
    groups_next = group_next & ~ended;
    lane_first_d = conditions_of(kernel_i.body.lane_first == '0, 1'b0, '0, strip_next,
                                 groups_next);
    lane_oldest_d = conditions_of(lane_operation_i.begins_strip, lane_operation_i.takes_buffer,
                                  lane_operation_i.slot, strip_next, groups_next);
    lane_next_d = conditions_of(lane_next_i.begins_strip, lane_next_i.takes_buffer,
                                lane_next_i.slot, strip_next, groups_next);
    lane_d = lane_valid_i ? (lane_take_o ? lane_next_d : lane_oldest_d) : lane_first_d;
  end

  always_comb begin
    leads_next = lead_next | lead_open_q | lead_now;
    special_first_d = conditions_of(kernel_i.body.begins_special, 1'b0, '0, strip_next,
                                    leads_next);
    special_oldest_d = conditions_of(
        special_operation_i.begins_strip, special_operation_i.takes_buffer,
        special_operation_i.slot, strip_next, leads_next);
    special_next_d = conditions_of(special_next_i.begins_strip, special_next_i.takes_buffer,
                                   special_next_i.slot, strip_next, leads_next);
    if (special_begin && !special_next_i.begins_strip
        && special_next_i.slot == special_operation_i.slot) begin
      special_next_d.ready = 1'b0;
    end
    special_d = special_valid_i ? (special_take_o ? special_next_d : special_oldest_d)
                                : special_first_d;
  end

  issue_port #(
      .Rate         (Lanes),
      .RegisterFirst(VectorFirst),
      .Registers    (VectorRegisters),
      .Latency      (MachineLane),
      .Hold         (MachineLane)
  ) u_lanes (
      .clk_i,
      .rst_ni,
      .last_points_i    (last_points_q),
      .operation_valid_i(lane_valid_i),
      .operation_i      (lane_operation_i),
      .next_i           (lane_next_i),
      .take_o           (lane_take_o),
      .may_begin_i      (lane_may_q),
      .begin_o          (lane_begin),
      .active_o         (lane_active),
      .instruction_o    (lane_instruction),
      .beat_o           (lane_beat_o),
      .beat_data_o      (lane_data_o),
      .next_rows_o      (lane_next_rows_o),
      .strip_end_o      (lane_strip_end)
  );

  // A group ends for the lanes with its results, see u_backs.
  // verilator lint_off UNUSEDSIGNAL
  logic special_active, special_strip_end;
  // verilator lint_on UNUSEDSIGNAL

  issue_port #(
      .Rate         (SpecialRate),
      .RegisterFirst(ResultFirst),
      .Registers    (ResultCount),
      .Latency      (MachineSpecial),
      .Hold         (1)
  ) u_special (
      .clk_i,
      .rst_ni,
      .last_points_i    (last_points_q),
      .operation_valid_i(special_valid_i),
      .operation_i      (special_operation_i),
      .next_i           (special_next_i),
      .take_o           (special_take_o),
      .may_begin_i      (special_may_q),
      .begin_o          (special_begin),
      .active_o         (special_active),
      .instruction_o    (special_instruction),
      .beat_o           (special_beat_o),
      .beat_data_o      (special_data_o),
      .next_rows_o      (special_next_rows_o),
      .strip_end_o      (special_strip_end)
  );

  logic lane_idle;

  always_comb begin
    lane_idle = running && lane_valid_i && !lane_active;
    counts_o.strip = strip_begins;
    counts_o.lane_instruction = lane_instruction;
    counts_o.special_instruction = special_instruction;
    counts_o.lane_busy = lane_beat_o;
    counts_o.lane_stall_dependence = lane_active && !lane_beat_o;
    counts_o.lane_stall_input = lane_idle && !lane_q.inputs;
    counts_o.lane_stall_special = lane_idle && lane_q.inputs && !lane_q.ready;
    counts_o.lane_stall_output = lane_idle && lane_q.inputs && lane_q.ready;
    counts_o.special_busy = special_beat_o;
    counts_o.special_stall = running && special_valid_i && !special_beat_o;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      running_q   <= 1'b0;
      strips_q    <= '0;
      copy_free_q <= 1'b1;
      lead_open_q <= '0;
      lead_set_q  <= 1'b0;
      group_set_q <= 1'b0;
      final_q     <= '0;
    end else begin
      running_q   <= running_d;
      strips_q    <= strips_d;
      copy_free_q <= copy_free_d;
      lead_open_q <= (lead_open_q & ~group_begins) | lead_now;
      lead_set_q  <= lane_instruction && lane_operation_i.leads && lane_operation_i.lead_waits;
      group_set_q <= special_instruction && special_operation_i.last;
      final_q     <= final_d;
    end
  end

  always_ff @(posedge clk_i) begin
    lane_q        <= lane_d;
    lane_may_q    <= &lane_d;
    special_may_q <= &special_d;
    lead_slot_q   <= lane_operation_i.slot;
    group_slot_q  <= special_operation_i.slot;
    group_final_q <= special_operation_i.ends_strip && kernel_i.body.ends_special;
    back_q        <= back_d;
  end

`ifndef SYNTHESIS
  conditions_t strip_now, lane_now, special_now;
  logic inputs_q, buffer_free_q;

  always_ff @(posedge clk_i) begin
    inputs_q      <= strip_next.inputs;
    buffer_free_q <= buffer_due;
  end

  always_comb begin
    strip_now = '{inputs: inputs_q, ready: copy_free_q, buffer: buffer_free_q};
    lane_now = conditions_of(lane_operation_i.begins_strip, lane_operation_i.takes_buffer,
                             lane_operation_i.slot, strip_now, group_ready);
    special_now = conditions_of(
        special_operation_i.begins_strip, special_operation_i.takes_buffer,
        special_operation_i.slot, strip_now, lead_ready | lead_open_q);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      if (running && lane_valid_i && (lane_begin || !lane_active)) begin
        assert (lane_q == lane_now)
        else $error("a segment waits for %b, not for %b", lane_q, lane_now);
      end
      if (running && special_valid_i && (special_begin || !special_active)) begin
        assert (special_may_q == &special_now)
        else $error("a group waits for %b", special_now);
      end
      if (kernel_start_i) begin
        assert (strips_q == '0 && lead_ready == '0 && group_ready == '0
                && lead_open_q == '0 && !lead_set_q && !group_set_q)
        else $error("a kernel begins with strips of the last one at work");
      end
      assert (!(lane_begin && special_begin && lane_operation_i.begins_strip
                && special_operation_i.begins_strip))
      else $error("both ports begin a strip");
      assert ($countones(ended) <= 1)
      else $error("two strips end at once");
    end
  end
`endif

endmodule
