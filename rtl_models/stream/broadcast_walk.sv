// Position of a broadcast unit: where in the ring the next beat reads, and which lanes it serves.
//
// A stream without a held level is read on and on, each element repeat[0] times. A held stream is
// walked block by block: data[0] elements, each repeat[0] times, repeat[1] passes over them. A beat
// that reaches the end of the block stops there (a cut) unless the row ends there too; a pass may
// wrap inside a beat. Blocks follow each other by an odometer over the held levels. Divisions by
// repeat[0] and data[0] are table look-ups where those are below Lanes, else one comparison.
//
// Timing: beat_i in cycle t serves the points of beat_o and moves the position for cycle t + 1.
// start_i returns to the first point of the kernel; shape_i holds still from then on.
module broadcast_walk
  import hwc_stream_pkg::*;
  import hwc_target_pkg::*;
(
    input  logic          clk_i,
    input  logic          rst_ni,
    input  logic          start_i,
    // verilator lint_off UNUSEDSIGNAL
    input  stream_shape_t shape_i,  // a part is enough
    // verilator lint_on UNUSEDSIGNAL
    input  logic          beat_i,
    input  lane_count_t   row_points_i,   // points of the row, from lane 0 on
    output logic          row_done_o,     // the beat serves the last point of the row
    output beat_t         beat_o
);

  typedef logic [LaneShift:0] table_index_t;

  shift_t shift;
  logic small_repeat, small_pass, held;
  ring_address_t pass_elements;

  always_comb begin
    shift = element_shift(shape_i.element_type);
    held = shape_i.held != '0;
    small_repeat = shape_i.repeats[0] < size_t'(Lanes);
    small_pass = held && shape_i.blocks[1] < size_t'(Lanes);
    pass_elements = ring_address_t'(shape_i.blocks[1]);
  end

  // How far the beat goes.
  size_t left_d, left_q;  // points of the block
  lane_count_t lane_d, lane_q, row_left, count;
  logic block_ends;

  always_comb begin
    row_left = row_points_i - lane_q;
    block_ends = held && left_q <= size_t'(row_left);
    count = block_ends ? lane_count_t'(left_q) : row_left;
    row_done_o = count == row_left;
  end

  always_comb begin
    lane_d = lane_q;
    left_d = left_q;
    if (beat_i) begin
      lane_d = row_done_o ? '0 : lane_q + count;
      left_d = block_ends ? shape_i.block_points : left_q - size_t'(count);
    end
    if (start_i) begin
      lane_d = '0;
      left_d = shape_i.block_points;
    end
  end

  // Position in the repeat of an element; `passed` elements are done with.
  size_t repeat_left_d, repeat_left_q;
  lane_index_t repeated_d, repeated_q;
  table_index_t repeat_index;
  lane_count_t passed;

  always_comb begin
    repeat_index = table_index_t'(repeated_q) + table_index_t'(count);
    passed = small_repeat ? shape_i.repeat_div[repeat_index]
                          : lane_count_t'(size_t'(count) >= repeat_left_q);
    repeated_d = repeated_q;
    repeat_left_d = repeat_left_q;
    if (beat_i) begin
      repeated_d = shape_i.repeat_mod[repeat_index];
      repeat_left_d = repeat_left_q - size_t'(count);
      if (passed != '0) repeat_left_d = repeat_left_d + shape_i.repeats[0];
    end
    if (start_i || (beat_i && block_ends)) begin
      repeated_d = '0;
      repeat_left_d = shape_i.repeats[0];
    end
  end

  // Position in the pass, and in the ring.
  ring_address_t pass_left_d, pass_left_q, address_d, address_q, base_d, base_q, next_base;
  lane_index_t pass_position_d, pass_position_q;  // of a pass below Lanes
  lane_count_t pass_reach_d, pass_reach_q;  // elements of the pass before the beat, up to Lanes
  logic first_pass_d, first_pass_q, wraps;
  lane_count_t beyond;
  logic [LaneShift+1:0] reach;

  always_comb begin
    wraps = held && ring_address_t'(passed) >= pass_left_q;
    beyond = passed - lane_count_t'(pass_left_q);
    reach = {1'b0, pass_reach_q} + {1'b0, passed};
    pass_left_d = pass_left_q;
    pass_position_d = pass_position_q;
    pass_reach_d = pass_reach_q;
    first_pass_d = first_pass_q;
    address_d = address_q;
    base_d = base_q;
    if (beat_i) begin
      pass_left_d = pass_left_q - ring_address_t'(passed);
      pass_position_d = shape_i.pass_mod[table_index_t'(pass_position_q) + table_index_t'(passed)];
      pass_reach_d = reach > (LaneShift + 2)'(Lanes) ? lane_count_t'(Lanes) : reach[LaneShift:0];
      if (!small_pass) begin
        address_d = ring_add(address_q, ring_address_t'(passed) << shift);
        if (wraps) begin
          first_pass_d = 1'b0;
          pass_left_d = pass_left_d + pass_elements;
          address_d = ring_add(base_q, ring_address_t'(beyond) << shift);
        end
      end
    end
    if (beat_i && block_ends) begin
      base_d = next_base;
      address_d = next_base;
    end
    if (start_i) begin
      base_d = '0;
      address_d = '0;
    end
    if (start_i || (beat_i && block_ends)) begin
      pass_left_d = pass_elements;
      pass_position_d = '0;
      pass_reach_d = '0;
      first_pass_d = 1'b1;
    end
  end

  // Odometer over blocks: data[1], repeat[2], data[2]. Where a held level repeats, the ring is
  // walked again from the start of that level's block. The distances are worked out once, modulo
  // the ring.
  size_t data1_d, data1_q, data2_d, data2_q, repeat2_d, repeat2_q;
  logic data1_ends, data2_ends, repeat2_ends;
  ring_address_t [DataLevels-1:0] distance_d, distance_q;

  function automatic ring_address_t less(ring_address_t bytes, ring_address_t back);
    logic [RingBits:0] sum;
    sum = {1'b0, bytes} + (RingBits + 1)'(RingCapacity) - {1'b0, back};
    if (sum >= (RingBits + 1)'(RingCapacity)) sum = sum - (RingBits + 1)'(RingCapacity);
    return sum[RingBits-1:0];
  endfunction

  always_comb begin
    distance_d = distance_q;
    if (start_i) begin
      distance_d[0] = pass_elements << shift;
      for (int unsigned k = 1; k < DataLevels; k++) begin
        distance_d[k] = less(pass_elements << shift,
                             ring_address_t'(shape_i.blocks[k+1]) << shift);
      end
    end

    data1_ends = data1_q + shape_i.blocks[1] == shape_i.blocks[2];
    repeat2_ends = repeat2_q == shape_i.repeats[2] - 1'b1;
    data2_ends = data2_q + shape_i.blocks[2] == shape_i.blocks[3];
    next_base = ring_add(base_q, distance_q[0]);
    if (data1_ends && shape_i.held >= level_t'(2)) begin
      if (!repeat2_ends) next_base = ring_add(base_q, distance_q[1]);
      else if (data2_ends && shape_i.held == level_t'(3)) begin
        next_base = ring_add(base_q, distance_q[2]);
      end
    end

    data1_d = data1_q;
    repeat2_d = repeat2_q;
    data2_d = data2_q;
    if (start_i) begin
      data1_d = '0;
      repeat2_d = '0;
      data2_d = '0;
    end else if (beat_i && block_ends) begin
      data1_d = data1_ends ? '0 : data1_q + shape_i.blocks[1];
      if (data1_ends) begin
        repeat2_d = repeat2_ends ? '0 : repeat2_q + 1'b1;
        if (repeat2_ends) data2_d = data2_ends ? '0 : data2_q + shape_i.blocks[2];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    left_q          <= left_d;
    repeat_left_q   <= repeat_left_d;
    repeated_q      <= repeated_d;
    pass_left_q     <= pass_left_d;
    pass_position_q <= pass_position_d;
    pass_reach_q    <= pass_reach_d;
    first_pass_q    <= first_pass_d;
    address_q       <= address_d;
    base_q          <= base_d;
    data1_q         <= data1_d;
    repeat2_q       <= repeat2_d;
    data2_q         <= data2_d;
    distance_q      <= distance_d;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) lane_q <= '0;
    else lane_q <= lane_d;
  end

  always_comb begin
    beat_o.address = address_q;
    beat_o.first_lane = lane_q[LaneShift-1:0];
    beat_o.count = count;
    beat_o.repeated = repeated_q;
    beat_o.repeat_left = repeat_left_q < size_t'(Lanes) ? lane_count_t'(repeat_left_q)
                                                        : lane_count_t'(Lanes);
    beat_o.pass_position = pass_position_q;
    beat_o.pass_left = held && pass_left_q < ring_address_t'(Lanes) ? lane_count_t'(pass_left_q)
                                                                    : lane_count_t'(Lanes);
    beat_o.load_head = held && first_pass_q && pass_reach_q < lane_count_t'(Lanes);
    beat_o.head_position = pass_reach_q[LaneShift-1:0];
    beat_o.small_repeat = small_repeat;
    beat_o.small_pass = small_pass;
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      if (beat_i) begin
        assert (count != '0) else $error("a beat without points");
      end
    end
  end
`endif

endmodule
