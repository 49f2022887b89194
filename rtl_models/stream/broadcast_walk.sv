// Position of a broadcast unit: where in the ring the next beat reads, and which lanes it serves.
//
// A stream without a held level is read on and on, each element repeat[0] times. A held stream is
// walked block by block: data[0] elements, each repeat[0] times, repeat[1] passes over them. A beat
// that reaches the end of the block stops there (a cut) unless the row ends there too; a pass may
// wrap inside a beat. Blocks follow each other by an odometer over the held levels. Divisions by
// repeat[0] and data[0] are table look-ups where those are below Lanes, else one comparison.
//
// The walk does not depend on time, so it runs ahead: stages work out one beat after another and
// fill a queue, from which beat_i takes one. Each stage is a loop of its own (points of the block,
// place in the repeat, odometer, pass and base) that holds one short carry chain. A long counter is
// therefore a low part, which a beat cannot empty twice, and an upper part with flags that say
// whether the upper part is 0 or 1.
//
// Timing: start_i in cycle t makes beat_o valid from cycle t + 11 on; beat_i then takes a beat, in
// every cycle if need be. The next start_i comes after the last beat, with the kernel's last point,
// is taken. shape_i, strips_i and last_points_i hold still from start_i on.
module broadcast_walk
  import hwc_stream_pkg::*;
  import hwc_target_pkg::*;
(
    input  logic          clk_i,
    input  logic          rst_ni,
    input  logic          start_i,
    // verilator lint_off UNUSEDSIGNAL
    input  stream_shape_t shape_i,        // a part is enough
    // verilator lint_on UNUSEDSIGNAL
    input  strip_count_t  strips_i,
    input  strip_points_t last_points_i,  // of the last strip
    input  logic          beat_i,
    output logic          row_done_o,     // the beat serves the last point of a row
    output beat_t         beat_o
);

  // A beat takes at most Lanes, a quarter of what a low part holds.
  localparam int unsigned LowBits = LaneShift + 2;
  localparam int unsigned HighBits = SizeBits - LowBits;
  typedef logic [LowBits-1:0] low_t;
  typedef logic [HighBits-1:0] high_t;
  typedef logic [LowBits:0] low_sum_t;    // with a borrow
  typedef logic [LaneShift:0] table_index_t;
  typedef logic [RingBits:0] ring_sum_t;  // with a sign

  typedef struct packed {
    high_t high;
    logic high_zero;
    logic high_one;
    low_t low;
  } count_t;

  function automatic count_t as_count(size_t value);
    return '{
        high: value[SizeBits-1:LowBits],
        high_zero: value[SizeBits-1:LowBits] == '0,
        high_one: value[SizeBits-1:LowBits] == high_t'(1),
        low: value[LowBits-1:0]
    };
  endfunction

  // What holds for the kernel, in registers. What beats begin with is there SettleCycles after
  // start_i, the distances, which are needed when a block has ended, at the latest 3 cycles later.
  localparam int unsigned SettleCycles = 2;
  shift_t shift_q;
  logic small_repeat_q, small_pass_q, held_q, held2_q, held3_q;
  ring_address_t pass_elements_q, pass_bytes_q;
  ring_address_t [DataLevels-1:1] blocks_q, back_q;  // elements of a block, and bytes
  count_t block_points_q, repeat_points_q, repeat_less_q;  // _less: 1 less in the high part
  size_t repeat2_last_q;
  logic [StripRowBits-1:0] last_row_q;
  lane_count_t last_count_q;
  // Bytes from a block to the next, modulo the ring, and the same less a ring.
  ring_address_t [DataLevels-1:0] distance_q;
  ring_sum_t [DataLevels-1:0] distance_less_q, difference_q;

  always_ff @(posedge clk_i) begin
    shift_q         <= element_shift(shape_i.element_type);
    held_q          <= shape_i.held != '0;
    held2_q         <= shape_i.held >= level_t'(2);
    held3_q         <= shape_i.held == level_t'(3);
    small_repeat_q  <= shape_i.repeats[0] < size_t'(Lanes);
    small_pass_q    <= shape_i.held != '0 && shape_i.blocks[1] < size_t'(Lanes);
    pass_elements_q <= ring_address_t'(shape_i.blocks[1]);
    block_points_q  <= as_count(shape_i.block_points);
    repeat_points_q <= as_count(shape_i.repeats[0]);
    repeat_less_q   <= as_count({repeat_points_q.high - 1'b1, repeat_points_q.low});
    repeat2_last_q  <= shape_i.repeats[2] - 1'b1;
    last_row_q      <= StripRowBits'((last_points_i - 1'b1) >> LaneShift);
    last_count_q    <= {1'b0, lane_index_t'(last_points_i - 1'b1)} + 1'b1;
    pass_bytes_q    <= pass_elements_q << shift_q;
    for (int unsigned k = 1; k < DataLevels; k++) begin
      blocks_q[k] <= ring_address_t'(shape_i.blocks[k+1]);
      back_q[k]   <= blocks_q[k] << shift_q;
    end
    for (int unsigned k = 0; k < DataLevels; k++) begin
      difference_q[k] <= {1'b0, pass_bytes_q};
      if (k > 0) difference_q[k] <= {1'b0, pass_bytes_q} - {1'b0, back_q[k]};
      distance_less_q[k] <= difference_q[k];
      if (!difference_q[k][RingBits]) begin
        distance_less_q[k] <= difference_q[k] - ring_sum_t'(RingCapacity);
      end
      distance_q[k] <= distance_less_q[k][RingBits-1:0] + ring_address_t'(RingCapacity);
    end
  end

  // start_i itself, which comes from afar, only loads the strips: a walk that is over stands still.
  logic [SettleCycles-1:0] starting_d, starting_q;
  logic clear_q;  // one of them is set; a register, because it clears all stages
  assign starting_d = {starting_q[SettleCycles-2:0], start_i};

  // Beats that are worked out or in the queue: QueueBeats at most.
  localparam int unsigned QueueBeats = 16;
  localparam int unsigned RoomBits = $clog2(QueueBeats + 1);
  logic running_d, running_q, issue, beat_q;
  logic [RoomBits-1:0] room_d, room_q;

  // First stage: how far the beat goes, and where the kernel ends.
  count_t left_d, left_q;  // points of the block
  lane_index_t lane_d, lane_q;
  strip_count_t strips_q, strips_less_q;
  logic [StripRowBits-1:0] next_row, row_d, row_q;
  logic last_strip_q, next_strip_last_q, next_row_last, in_last_row, last_row_d, in_last_row_q;
  logic strip_ends, strip_ended_q;  // a strip takes so long that it may count a cycle later
  lane_count_t row_left_d, row_left_q, count;  // points of the row
  logic block_ends, row_done, left_borrow;

  always_comb begin
    issue = running_q && room_q != '0;
    in_last_row = last_strip_q && row_q == last_row_q;
    block_ends = held_q && left_q.high_zero && left_q.low <= low_t'(row_left_q);
    count = block_ends ? lane_count_t'(left_q.low) : row_left_q;
    row_done = !block_ends || left_q.low == low_t'(row_left_q);

    // After a borrow the low part is almost full, so that high_one may come a cycle late.
    {left_borrow, left_d.low} = {1'b0, left_q.low} - low_sum_t'(row_left_q);
    left_d.high = left_q.high - high_t'(left_borrow);
    left_d.high_zero = left_q.high_zero || (left_q.high_one && left_borrow);
    left_d.high_one = left_q.high == high_t'(1);
    if (block_ends) left_d = block_points_q;

    // Both rows are worked out beside row_done, which is known late. In a row that is not done, the
    // beat serves what is left of the block.
    next_row = row_q + 1'b1;
    next_row_last = (row_q == '1 ? next_strip_last_q : last_strip_q) && next_row == last_row_q;
    row_d = row_done ? next_row : row_q;
    last_row_d = row_done ? next_row_last : in_last_row;
    lane_d = row_done ? '0 : lane_q + lane_index_t'(left_q.low);
    row_left_d = row_left_q - lane_count_t'(left_q.low);
    if (row_done) row_left_d = next_row_last ? last_count_q : lane_count_t'(Lanes);
    strip_ends = row_done && row_q == '1;

    running_d = running_q && !(issue && row_done && in_last_row_q);
    if (starting_q[SettleCycles-1]) running_d = strips_q != '0;
    else if (clear_q) running_d = 1'b0;
    room_d = room_q - RoomBits'(issue) + RoomBits'(beat_q);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      starting_q <= '0;
      clear_q    <= 1'b0;
      running_q  <= 1'b0;
      beat_q     <= 1'b0;
      room_q     <= RoomBits'(QueueBeats);
    end else begin
      starting_q <= starting_d;
      clear_q    <= starting_d != '0;
      running_q  <= running_d;
      beat_q     <= beat_i;
      room_q     <= room_d;
    end
  end

  always_ff @(posedge clk_i) begin
    left_q.high_one   <= left_q.high == high_t'(1);
    next_strip_last_q <= strips_q == strip_count_t'(2);
    strips_less_q     <= strips_q - 1'b1;
    in_last_row_q     <= in_last_row;
    if (issue) begin
      left_q        <= left_d;
      lane_q        <= lane_d;
      row_left_q    <= row_left_d;
      row_q         <= row_d;
      in_last_row_q <= last_row_d;
      if (strip_ends) last_strip_q <= next_strip_last_q;
    end
    strip_ended_q <= issue && strip_ends;
    if (strip_ended_q) strips_q <= strips_less_q;
    if (clear_q) begin
      left_q       <= block_points_q;
      lane_q       <= '0;
      row_left_q   <= in_last_row ? last_count_q : lane_count_t'(Lanes);
      row_q        <= '0;
      last_strip_q <= strips_q == strip_count_t'(1);
    end
    if (start_i) strips_q <= strips_i;
  end

  // Second stage: position in the repeat of an element; `passed` elements are done with.
  typedef struct packed {
    logic block_ends;
    logic row_done;
    lane_index_t lane;
    lane_count_t count;
  } reach_t;
  logic reach_valid_q;
  reach_t reach_q;
  lane_index_t repeated_d, repeated_q;
  count_t repeat_left_d, repeat_left_q;  // points of the element
  logic repeat_borrow, next_borrow, repeat_ends;
  low_t next_low;
  lane_count_t passed;
  table_index_t repeat_index;

  always_comb begin
    repeat_index = table_index_t'(repeated_q) + table_index_t'(reach_q.count);
    repeat_ends = repeat_left_q.high_zero && repeat_left_q.low <= low_t'(reach_q.count);
    passed = small_repeat_q ? shape_i.repeat_div[repeat_index] : lane_count_t'(repeat_ends);
    repeated_d = shape_i.repeat_mod[repeat_index];

    {repeat_borrow, repeat_left_d.low} = {1'b0, repeat_left_q.low} - low_sum_t'(reach_q.count);
    repeat_left_d.high = repeat_left_q.high - high_t'(repeat_borrow);
    repeat_left_d.high_zero = repeat_left_q.high_zero || (repeat_left_q.high_one && repeat_borrow);
    repeat_left_d.high_one = repeat_left_q.high == high_t'(1);
    // A whole repeat less what the beat takes of it: the element before had no more than the beat,
    // so that there may be a borrow, but no carry.
    {next_borrow, next_low} = {1'b0, repeat_points_q.low} + {1'b0, repeat_left_q.low}
        - low_sum_t'(reach_q.count);
    if (repeat_ends) begin
      repeat_left_d = next_borrow ? repeat_less_q : repeat_points_q;
      repeat_left_d.low = next_low;
    end
    if (reach_q.block_ends) begin
      repeated_d = '0;
      repeat_left_d = repeat_points_q;
    end
  end

  always_ff @(posedge clk_i) begin
    reach_q <= '{block_ends: block_ends, row_done: row_done, lane: lane_q, count: count};
    repeat_left_q.high_one <= repeat_left_q.high == high_t'(1);
    if (reach_valid_q) begin
      repeated_q    <= repeated_d;
      repeat_left_q <= repeat_left_d;
    end
    if (clear_q) begin
      repeated_q    <= '0;
      repeat_left_q <= repeat_points_q;
    end
  end

  // Third stage: the odometer over blocks: data[1], repeat[2], data[2]. Where a held level repeats,
  // the ring is walked again from the start of that level's block. It says which distance leads to
  // the next block, and what a stream that is not held steps on.
  typedef struct packed {
    reach_t reach;
    lane_index_t repeated;
    lane_count_t repeat_left;
    lane_count_t passed;
  } step_t;
  logic passed_valid_q, step_valid_q;
  step_t passed_q, step_q;
  ring_sum_t step_bytes_less_q;
  ring_address_t bytes, step_bytes_q, pass_less_q;
  ring_address_t data1_next_q, data2_next_q;  // elements up to the end of the next block
  logic data1_ends_q, data2_ends_q, repeat2_ends_q;
  size_t repeat2_q;
  logic [1:0] which_d, which_q;

  always_comb begin
    bytes = ring_address_t'(passed_q.passed) << shift_q;
    which_d = 2'd0;
    if (data1_ends_q && held2_q) begin
      if (!repeat2_ends_q) which_d = 2'd1;
      else if (data2_ends_q && held3_q) which_d = 2'd2;
    end
  end

  always_ff @(posedge clk_i) begin
    passed_q.reach       <= reach_q;
    passed_q.repeated    <= repeated_q;
    passed_q.repeat_left <= lane_count_t'(Lanes);
    if (repeat_left_q.high_zero && repeat_left_q.low < low_t'(Lanes)) begin
      passed_q.repeat_left <= lane_count_t'(repeat_left_q.low);
    end
    passed_q.passed      <= passed;

    step_q            <= passed_q;
    step_bytes_q      <= bytes;
    step_bytes_less_q <= {1'b0, bytes} - ring_sum_t'(RingCapacity);
    pass_less_q       <= pass_elements_q - ring_address_t'(passed_q.passed);
    which_q           <= which_d;

    repeat2_ends_q <= repeat2_q == repeat2_last_q;
    if (passed_valid_q && passed_q.reach.block_ends) begin
      data1_next_q <= data1_ends_q ? pass_elements_q : data1_next_q + pass_elements_q;
      data1_ends_q <= data1_ends_q ? pass_elements_q == blocks_q[1]
                                   : data1_next_q + pass_elements_q == blocks_q[1];
      if (data1_ends_q) begin
        repeat2_q <= repeat2_ends_q ? '0 : repeat2_q + 1'b1;
        if (repeat2_ends_q) begin
          data2_next_q <= data2_ends_q ? blocks_q[1] : data2_next_q + blocks_q[1];
          data2_ends_q <= data2_ends_q ? blocks_q[1] == blocks_q[2]
                                       : data2_next_q + blocks_q[1] == blocks_q[2];
        end
      end
    end
    if (clear_q) begin
      data1_next_q <= pass_elements_q;
      data1_ends_q <= pass_elements_q == blocks_q[1];
      data2_next_q <= blocks_q[1];
      data2_ends_q <= blocks_q[1] == blocks_q[2];
      repeat2_q    <= '0;
    end
  end

  // Fourth stage: position in the pass, and the base of the block in the ring. A stream that is not
  // held has no pass: its base is its address.
  ring_address_t pass_left_d, pass_left_q, base_d, base_q;
  lane_index_t pass_position_d, pass_position_q;  // of a pass below Lanes
  lane_count_t pass_reach_d, pass_reach_q;  // elements of the pass before the beat, up to Lanes
  logic first_pass_d, first_pass_q, wraps;
  logic [LaneShift+1:0] pass_reach_sum;
  ring_address_t base_sum;
  ring_sum_t base_sum_less;

  always_comb begin
    wraps = pass_left_q <= ring_address_t'(step_q.passed);
    pass_left_d = pass_left_q - ring_address_t'(step_q.passed);
    if (wraps) pass_left_d = pass_left_q + pass_less_q;
    pass_position_d = shape_i.pass_mod[table_index_t'(pass_position_q)
                                       + table_index_t'(step_q.passed)];
    pass_reach_sum = {1'b0, pass_reach_q} + {1'b0, step_q.passed};
    pass_reach_d = pass_reach_sum[LaneShift:0];
    if (pass_reach_sum > (LaneShift + 2)'(Lanes)) pass_reach_d = lane_count_t'(Lanes);
    first_pass_d = first_pass_q && (!wraps || small_pass_q);
    if (step_q.reach.block_ends) begin
      pass_left_d = pass_elements_q;
      pass_position_d = '0;
      pass_reach_d = '0;
      first_pass_d = 1'b1;
    end

    base_sum = base_q + (held_q ? distance_q[which_q] : step_bytes_q);
    base_sum_less = {1'b0, base_q} + (held_q ? distance_less_q[which_q] : step_bytes_less_q);
    base_d = base_sum_less[RingBits] ? base_sum : base_sum_less[RingBits-1:0];
  end

  always_ff @(posedge clk_i) begin
    if (step_valid_q) begin
      pass_left_q     <= pass_left_d;
      pass_position_q <= pass_position_d;
      pass_reach_q    <= pass_reach_d;
      first_pass_q    <= first_pass_d;
      if (!held_q || step_q.reach.block_ends) base_q <= base_d;
    end
    if (clear_q) begin
      pass_left_q     <= pass_elements_q;
      pass_position_q <= '0;
      pass_reach_q    <= '0;
      first_pass_q    <= 1'b1;
      base_q          <= '0;
    end
  end

  // Three stages for the address, which no loop waits for.
  typedef struct packed {
    logic row_done;
    beat_t beat;
  } entry_t;
  entry_t based_q, offset_q, entry_q;
  logic based_valid_q, offset_valid_q, entry_valid_q;
  ring_address_t offset_elements_q, entry_base_q;
  ring_sum_t address_q, address_less;

  assign address_less = address_q - ring_sum_t'(RingCapacity);

  always_ff @(posedge clk_i) begin
    based_q.row_done           <= step_q.reach.row_done;
    based_q.beat.address       <= '0;
    based_q.beat.first_lane    <= step_q.reach.lane;
    based_q.beat.count         <= step_q.reach.count;
    based_q.beat.repeated      <= step_q.repeated;
    based_q.beat.repeat_left   <= step_q.repeat_left;
    based_q.beat.pass_position <= pass_position_q;
    based_q.beat.pass_left     <= lane_count_t'(Lanes);
    if (held_q && pass_left_q < ring_address_t'(Lanes)) begin
      based_q.beat.pass_left <= lane_count_t'(pass_left_q);
    end
    based_q.beat.load_head     <= held_q && first_pass_q && pass_reach_q < lane_count_t'(Lanes);
    based_q.beat.head_position <= pass_reach_q[LaneShift-1:0];
    based_q.beat.small_repeat  <= small_repeat_q;
    based_q.beat.small_pass    <= small_pass_q;
    entry_base_q               <= base_q;
    offset_elements_q          <= held_q && !small_pass_q ? pass_elements_q - pass_left_q : '0;

    offset_q  <= based_q;
    address_q <= {1'b0, entry_base_q} + ({1'b0, offset_elements_q} << shift_q);

    entry_q              <= offset_q;
    entry_q.beat.address <= address_less[RingBits] ? address_q[RingBits-1:0]
                                                   : address_less[RingBits-1:0];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      reach_valid_q  <= 1'b0;
      passed_valid_q <= 1'b0;
      step_valid_q   <= 1'b0;
      based_valid_q  <= 1'b0;
      offset_valid_q <= 1'b0;
      entry_valid_q  <= 1'b0;
    end else begin
      reach_valid_q  <= issue;
      passed_valid_q <= reach_valid_q;
      step_valid_q   <= passed_valid_q;
      based_valid_q  <= step_valid_q;
      offset_valid_q <= based_valid_q;
      entry_valid_q  <= offset_valid_q;
    end
  end

  // The queue, with its oldest beat in a register. beat_i is late: it decides whether a beat leaves
  // the queue for that register or for another one, which waits behind it, but not when it leaves.
  entry_t queued, next_q, head_q;
  logic queue_ready, queued_valid, load, next_valid_q, head_valid_q;

  fifo #(
      .data_t(entry_t),
      .Depth (QueueBeats)
  ) u_queue (
      .clk_i,
      .rst_ni,
      .valid_i(entry_valid_q),
      .ready_o(queue_ready),
      .data_i (entry_q),
      .valid_o(queued_valid),
      .ready_i(!next_valid_q),
      .data_o (queued)
  );

  assign load = beat_i || !head_valid_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      next_valid_q <= 1'b0;
      head_valid_q <= 1'b0;
    end else begin
      next_valid_q <= (queued_valid || next_valid_q) && !load;
      head_valid_q <= queued_valid || next_valid_q || !load;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!next_valid_q) next_q <= queued;
    if (load) head_q <= next_valid_q ? next_q : queued;
  end

  assign row_done_o = head_q.row_done;
  assign beat_o = head_q.beat;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      assert (queue_ready || !entry_valid_q) else $error("a beat that the queue has no room for");
      if (start_i) begin
        assert (!running_q && room_q + RoomBits'(beat_q) == RoomBits'(QueueBeats))
        else $error("a kernel starts before the beats of the last one are taken");
      end
      if (beat_i) begin
        assert (head_valid_q) else $error("a beat that is not there yet");
        assert (beat_o.count != '0) else $error("a beat without points");
      end
    end
  end
`endif

endmodule
