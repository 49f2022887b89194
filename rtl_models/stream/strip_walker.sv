// Walks an input stream strip by strip and tells, for each strip, which of its elements are needed
// and which are done with. The position is the last point of the strip, in digits of the canonical
// form; a strip further is one addition per digit with carry, so nothing is ever divided.
//
// A position before the first point has all digits at their limits: adding Vlen carries out of the
// outermost digit and leaves Vlen - 1. The last point of the kernel has all digits at their limits.
//
// The walk does not depend on time, so it runs ahead: positions wait in a queue. One repeat and one
// data digit enter a pipeline in each cycle: read, sums, differences without and with a carry from
// below, choice and carry, comparisons, position. Only the carry is a loop.
//
// Timing: start_i in cycle t makes the position of the first strip valid in cycle t + 10. The next
// ones follow every 8 cycles while fewer than 4 are waiting or on their way. take_i goes on to the
// next. strips_i, the strips of the kernel, and shape_i hold still from start_i on.
module strip_walker
  import hwc_stream_pkg::*;
(
    input  logic            clk_i,
    input  logic            rst_ni,
    input  logic            start_i,
    input  strip_count_t    strips_i,
    input  stream_shape_t   shape_i,
    input  logic            take_i,
    output logic            valid_o,
    output strip_position_t position_o
);

  localparam level_t LastLevel = level_t'(RepeatLevels - 1);
  // A digit is back 4 cycles after it was read; the position of a strip is kept for 5.
  localparam int unsigned StepCycles = 8;
  localparam int unsigned Waiting = 4;
  localparam int unsigned RoomBits = $clog2(Waiting + 1);
  localparam int unsigned Stages = 5;
  typedef logic [$clog2(StepCycles)-1:0] cycle_t;
  typedef logic [SizeBits:0] sum_t;
  typedef logic [SizeBits+1:0] difference_t;  // with a sign

  // Control: strips that have not begun, and the level that is read.
  strip_count_t left_d, left_q;
  logic last_q, first_d, first_q, stepping_d, stepping_q, begins;
  cycle_t cycle_d, cycle_q;
  logic [RoomBits-1:0] room_d, room_q;

  always_comb begin
    begins = !stepping_q && left_q != '0 && room_q != '0;
    stepping_d = begins || (stepping_q && cycle_q != cycle_t'(StepCycles - 1));
    cycle_d = stepping_d ? cycle_q + 1'b1 : '0;
    left_d = left_q;
    first_d = first_q;
    if (stepping_q && !stepping_d) begin
      left_d = left_q - 1'b1;
      first_d = 1'b0;
    end
    room_d = room_q - RoomBits'(begins) + RoomBits'(take_i);
    if (start_i) begin
      stepping_d = 1'b0;
      cycle_d = '0;
      left_d = strips_i;
      first_d = 1'b1;
      room_d = RoomBits'(Waiting);
    end
  end

  typedef struct packed {
    logic valid;
    logic first;    // of the kernel's strips
    logic bottom;   // level 0
    logic top;
    logic held;     // at the held level or below
    level_t level;
  } stage_t;
  stage_t reading;
  stage_t [Stages:1] stage_q;
  level_t level;

  always_comb begin
    level = level_t'(cycle_q);
    reading = '{
        valid: (begins || stepping_q) && cycle_q <= cycle_t'(LastLevel),
        first: first_q,
        bottom: level == '0,
        top: level == LastLevel,
        held: level <= shape_i.held,
        level: level
    };
  end

  logic done_q;  // the position of a strip is complete

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      stepping_q <= 1'b0;
      cycle_q    <= '0;
      left_q     <= '0;
      first_q    <= 1'b0;
      room_q     <= '0;
      stage_q    <= '0;
      done_q     <= 1'b0;
    end else begin
      stepping_q <= stepping_d;
      cycle_q    <= cycle_d;
      left_q     <= left_d;
      first_q    <= first_d;
      room_q     <= room_d;
      stage_q    <= start_i ? '0 : {stage_q[Stages-1:1], reading};
      done_q     <= !start_i && stage_q[Stages].valid && stage_q[Stages].top;
    end
  end

  // Settles while a strip's first digit is on its way, and holds until its last digit is chosen.
  always_ff @(posedge clk_i) last_q <= left_q == strip_count_t'(1);

  // Digits of the position, the data digits weighted, in memories that are read through
  // multiplexers; the outermost level has no data digit, and keeps 0.
  size_t repeats_q[RepeatLevels];
  size_t data_q[RepeatLevels];
  size_t [RepeatLevels-1:0] strip_data;

  // First stage: what a level has, and its greatest digits.
  size_t [2:1] repeat_size_q, data_size_q;
  size_t [4:1] repeat_limit_q, repeat_old_q, data_old_q;
  size_t [3:1] data_limit_q;
  size_t [5:1] below_q;
  size_t repeat_added_q, data_added_q, block, below;

  always_comb begin
    strip_data = {size_t'(0), shape_i.strip_data};
    block = level == LastLevel ? shape_i.blocks[level] : shape_i.blocks[level+1'b1];
    // Levels are read one after another.
    below = level == '0 ? shape_i.blocks[0] : data_size_q[1];
  end

  // Second stage: sums. Third: sums as they stay, and as they wrap, each without and with a carry
  // from below. A carry adds 1 to a repeat digit and its weight to a data digit.
  size_t repeat_from, data_from;
  sum_t repeat_sum_q, data_sum_q;
  sum_t [1:0] repeat_stay_q, data_stay_q;
  difference_t [1:0] repeat_wrap_q, data_wrap_q;

  always_comb begin
    repeat_from = stage_q[1].first ? repeat_limit_q[1] : repeat_old_q[1];
    data_from = stage_q[1].first ? data_limit_q[1] : data_old_q[1];
  end

  always_ff @(posedge clk_i) begin
    repeat_size_q  <= {repeat_size_q[1], shape_i.repeats[level]};
    repeat_limit_q <= {repeat_limit_q[3:1], shape_i.repeats[level] - 1'b1};
    repeat_old_q   <= {repeat_old_q[3:2], repeat_from, repeats_q[level]};
    data_size_q    <= {data_size_q[1], block};
    data_limit_q   <= {data_limit_q[2:1], block - below};
    data_old_q     <= {data_old_q[3:2], data_from, data_q[level]};
    below_q        <= {below_q[4:1], below};
    repeat_added_q <= shape_i.strip_repeats[level];
    data_added_q   <= strip_data[level];

    repeat_sum_q <= {1'b0, repeat_from} + {1'b0, repeat_added_q};
    data_sum_q   <= {1'b0, data_from} + {1'b0, data_added_q};

    repeat_stay_q[0] <= repeat_sum_q;
    repeat_stay_q[1] <= repeat_sum_q + 1'b1;
    repeat_wrap_q[0] <= {1'b0, repeat_sum_q} - difference_t'(repeat_size_q[2]);
    repeat_wrap_q[1] <= {1'b0, repeat_sum_q} - difference_t'(repeat_limit_q[2]);
    data_stay_q[0]   <= data_sum_q;
    data_stay_q[1]   <= data_sum_q + sum_t'(below_q[2]);
    data_wrap_q[0]   <= {1'b0, data_sum_q} - difference_t'(data_size_q[2]);
    data_wrap_q[1]   <= {1'b0, data_sum_q} - difference_t'(data_limit_q[2]);
  end

  // Fourth stage: the choice of each, then the carry.
  size_t [1:0] repeat_choice, data_choice;
  logic [1:0] repeat_carries, data_carries;
  logic carry, repeat_carry, carry_q;
  size_t repeat_new, data_new, repeat_new_q, data_new_q;

  always_comb begin
    for (int unsigned i = 0; i < 2; i++) begin
      repeat_carries[i] = !repeat_wrap_q[i][SizeBits+1];
      data_carries[i] = !data_wrap_q[i][SizeBits+1];
      repeat_choice[i] = repeat_carries[i] ? repeat_wrap_q[i][SizeBits-1:0]
                                           : repeat_stay_q[i][SizeBits-1:0];
      data_choice[i] = data_carries[i] ? data_wrap_q[i][SizeBits-1:0]
                                       : data_stay_q[i][SizeBits-1:0];
    end
    carry = carry_q && !stage_q[3].bottom;
    repeat_carry = carry ? repeat_carries[1] : repeat_carries[0];
    repeat_new = carry ? repeat_choice[1] : repeat_choice[0];
    data_new = repeat_carry ? data_choice[1] : data_choice[0];
    if (last_q) begin
      repeat_new = repeat_limit_q[3];
      data_new = data_limit_q[3];
    end
    if (stage_q[3].top) data_new = '0;
  end

  always_ff @(posedge clk_i) begin
    repeat_new_q <= repeat_new;
    data_new_q   <= data_new;
    carry_q      <= repeat_carry ? data_carries[1] : data_carries[0];
    if (stage_q[3].valid) begin
      repeats_q[stage_q[3].level] <= repeat_new;
      data_q[stage_q[3].level] <= data_new;
    end
  end

  // Fifth stage: comparisons.
  logic begins_q, ends_q, moved_q;  // a repeat's first and last pass; a digit that has changed
  size_t data_here_q;

  always_ff @(posedge clk_i) begin
    begins_q    <= repeat_new_q == '0;
    ends_q      <= repeat_new_q == repeat_limit_q[4];
    moved_q     <= repeat_new_q != repeat_old_q[4] || data_new_q != data_old_q[4];
    data_here_q <= data_new_q;
  end

  // Elements of the run that points up to this one need, and those that no point after it needs. In
  // the first pass of a repeat an element is needed when it is reached, in the last pass it is done
  // with when it is left; the inner levels say how far the element in hand has got.
  size_t high_d, high_q, low_d, low_q, origin_d, origin_q;
  logic new_run_d, new_run_q;
  fetch_position_t run_position_d, run_position_q, run_q, run_bytes_q;

  always_comb begin
    high_d = high_q;
    low_d = low_q;
    origin_d = stage_q[Stages].bottom ? '0 : origin_q;
    new_run_d = stage_q[Stages].bottom ? stage_q[Stages].first : new_run_q;
    run_position_d = run_position_q;
    if (stage_q[Stages].held) begin
      high_d = begins_q ? high_q : below_q[Stages];
      low_d = ends_q ? low_q : '0;
      if (stage_q[Stages].bottom) begin
        high_d = size_t'(1);
        low_d = size_t'(ends_q);
      end
      high_d = high_d + data_here_q;
      low_d = low_d + data_here_q;
    end else begin
      origin_d = origin_q + data_here_q;
      if (moved_q) new_run_d = 1'b1;
    end
    if (stage_q[Stages].top) begin
      if (stage_q[Stages].first) run_position_d = '0;
      else if (new_run_d) run_position_d = run_position_q + run_bytes_q;
    end
  end

  always_ff @(posedge clk_i) begin
    run_q       <= fetch_position_t'(run_elements(shape_i));
    run_bytes_q <= run_q << element_shift(shape_i.element_type);
    if (stage_q[Stages].valid) begin
      high_q         <= high_d;
      low_q          <= low_d;
      origin_q       <= origin_d;
      new_run_q      <= new_run_d;
      run_position_q <= run_position_d;
    end
  end

  // The queue; a position that is awaited passes it.
  strip_position_t position, queued;
  logic queue_ready, queued_valid;

  assign position = '{
      new_run: new_run_q,
      origin: origin_q,
      high: high_q,
      low: low_q,
      run_position: run_position_q
  };

  fifo #(
      .data_t(strip_position_t),
      .Depth (Waiting)
  ) u_queue (
      .clk_i,
      .rst_ni,
      .valid_i(done_q && (queued_valid || !take_i)),
      .ready_o(queue_ready),
      .data_i (position),
      .valid_o(queued_valid),
      .ready_i(take_i),
      .data_o (queued)
  );

  assign valid_o = queued_valid || done_q;
  assign position_o = queued_valid ? queued : position;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      assert (queue_ready || !done_q) else $error("a position that the queue has no room for");
      if (take_i) assert (valid_o) else $error("take_i without a position");
      if (start_i) begin
        assert (left_q == '0 && (room_q == RoomBits'(Waiting) || room_q == '0))
        else $error("a kernel starts before the positions of the last one are taken");
      end
    end
  end
`endif

endmodule
