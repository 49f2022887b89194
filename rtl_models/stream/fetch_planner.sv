// Plans the fetch of one input stream: which bus words the next strip asks for, and whether the
// ring has room for them. A word is asked for once per run; the ring takes whole bus words as far
// as they belong to the run. It walks over the strips for the broadcast unit as well, which gets a
// mark of each.
//
// Timing: start_i (a new kernel; shape_i and strips_i hold still from here on) in cycle t makes
// plan_o valid from cycle t + 13 and ready_o, if there is room, in cycle t + 14. take_i (the
// planned strip is being fetched) in cycle t makes plan_o valid from cycle t + 4 and ready_o in
// cycle t + 5, if the walker is ahead. It is if strips are taken every 8 cycles at most, the least
// time of a strip (MachineStripFetchMin). ready_o rises one cycle after free_i has moved on far
// enough, or one after may_i has risen, and stays until take_i. plan_o holds until the cycle after
// take_i at least. mark_valid_o is high for a cycle for each strip, 3 or more before its ready_o.
module fetch_planner
  import hwc_stream_pkg::*;
  import hwc_target_pkg::*;
(
    input  logic                  clk_i,
    input  logic                  rst_ni,
    input  logic                  start_i,
    input  strip_count_t          strips_i,
    input  stream_shape_t         shape_i,
    input  fetch_position_t       free_i,  // bytes that the ring has released
    input  logic                  may_i,   // another strip may be fetched
    input  logic                  take_i,
    output logic                  ready_o,
    output segment_t        [1:0] plan_o,  // in this order; those with no words are empty
    output logic                  mark_valid_o,
    output mark_t                 mark_o
);

  // A position is taken when the plan before has been.
  logic walked, step, wanted_d, wanted_q;
  strip_position_t position;

  assign step = walked && wanted_q;

  always_comb begin
    wanted_d = (wanted_q && !step) || take_i;
    if (start_i) wanted_d = 1'b1;
  end

  strip_walker u_walker (
      .clk_i,
      .rst_ni,
      .start_i,
      .strips_i(shape_i.valid ? strips_i : '0),
      .shape_i,
      .take_i  (step),
      .valid_o (walked),
      .position_o(position)
  );

  // First stage: elements.
  shift_t shift;
  logic elements_valid_q, new_element_run_q;
  // verilator lint_off UNUSEDSIGNAL
  // Below 2^AddressBits: the stream is in the window.
  size_t need_element_q, run_last_element_q, origin_q;
  // verilator lint_on UNUSEDSIGNAL
  fetch_position_t element_run_position_q;

  always_ff @(posedge clk_i) begin
    if (step) begin
      need_element_q         <= position.origin + position.high - 1'b1;
      run_last_element_q     <= position.origin + run_elements(shape_i) - 1'b1;
      origin_q               <= position.origin;
      new_element_run_q      <= position.new_run;
      element_run_position_q <= position.run_position;
    end
  end

  // What the broadcast unit needs to know.
  mark_t mark_q;

  always_ff @(posedge clk_i) begin
    if (step) begin
      mark_q.needed <= position.run_position
          + (fetch_position_t'(position.high) << element_shift(shape_i.element_type));
      mark_q.released <= position.run_position
          + (fetch_position_t'(position.low) << element_shift(shape_i.element_type));
    end
  end

  assign mark_valid_o = elements_valid_q;
  assign mark_o = mark_q;

  // Second stage: addresses. Elements are aligned to their size and lie in one bus word.
  address_t run_address, run_last_address;
  // verilator lint_off UNUSEDSIGNAL
  address_t need_address;  // only its word
  // verilator lint_on UNUSEDSIGNAL
  logic addresses_valid_q;
  logic new_run_d, new_run_q;
  word_address_t need_word_d, need_word_q, run_last_word_d, run_last_word_q;
  address_t run_address_d, run_address_q;
  fetch_position_t run_position_d, run_position_q, run_bytes_d, run_bytes_q;
  word_count_t run_high_d, run_high_q;

  always_comb begin
    shift = element_shift(shape_i.element_type);
    run_address = shape_i.base + (address_t'(origin_q) << shift);
    need_address = shape_i.base + (address_t'(need_element_q) << shift);
    run_last_address = shape_i.base + (address_t'(run_last_element_q) << shift);

    new_run_d = new_element_run_q;
    need_word_d = need_address[AddressBits-1:WordShift];
    run_address_d = run_address;
    run_last_word_d = run_last_address[AddressBits-1:WordShift];
    run_high_d = {1'b0, run_last_address[WordShift-1:0]} + (word_count_t'(1) << shift);
    run_position_d = element_run_position_q;
    run_bytes_d = fetch_position_t'(run_elements(shape_i)) << shift;
  end

  // Third stage: words. What is left of the run before comes first.
  segment_t [1:0] plan_d, plan_q;
  logic planned_valid_d, planned_valid_q, first_d, first_q, ready_d, ready_q;
  logic at_run_end;
  word_address_t next_word_d, next_word_q, old_last_word_d, old_last_word_q, words_end;
  word_count_t old_high_d, old_high_q, need_high;
  fetch_position_t fill_d, fill_q, word_end_position;

  always_comb begin
    at_run_end = need_word_q == run_last_word_q;
    need_high = at_run_end ? run_high_q : word_count_t'(AxiBytes);
    words_end = need_word_q + 1'b1;
    word_end_position = fetch_position_t'({words_end, word_offset_t'(0)})
        - fetch_position_t'(run_address_q);

    first_d = first_q;
    plan_d = plan_q;
    next_word_d = next_word_q;
    old_last_word_d = old_last_word_q;
    old_high_d = old_high_q;
    fill_d = fill_q;
    planned_valid_d = planned_valid_q;
    if (start_i) first_d = 1'b1;
    if (addresses_valid_q) begin
      first_d = 1'b0;
      planned_valid_d = 1'b1;
      next_word_d = words_end;
      old_last_word_d = run_last_word_q;
      old_high_d = run_high_q;
      fill_d = run_position_q + (at_run_end ? run_bytes_q : word_end_position);
      plan_d[0].word = next_word_q;
      plan_d[0].low = '0;
      plan_d[1].word = run_address_q[AddressBits-1:WordShift];
      plan_d[1].low = run_address_q[WordShift-1:0];
      plan_d[1].high = need_high;
      if (new_run_q) begin
        plan_d[0].count = first_q ? '0 : segment_count_t'(old_last_word_q - next_word_q) + 1'b1;
        plan_d[0].high = old_high_q;
        plan_d[1].count = segment_count_t'(need_word_q - plan_d[1].word) + 1'b1;
      end else begin
        plan_d[0].count = segment_count_t'(words_end - next_word_q);
        plan_d[0].high = need_high;
        plan_d[1].count = '0;
      end
    end
    if (start_i || take_i) planned_valid_d = 1'b0;
    ready_d = planned_valid_q && !take_i && !start_i && may_i
        && position_reached(free_i + fetch_position_t'(RingCapacity), fill_q);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wanted_q          <= 1'b0;
      elements_valid_q  <= 1'b0;
      addresses_valid_q <= 1'b0;
      planned_valid_q   <= 1'b0;
      first_q           <= 1'b0;
      ready_q           <= 1'b0;
    end else begin
      wanted_q          <= wanted_d;
      elements_valid_q  <= step && !start_i;
      addresses_valid_q <= elements_valid_q && !start_i;
      planned_valid_q   <= planned_valid_d;
      first_q           <= first_d;
      ready_q           <= ready_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (elements_valid_q) begin
      new_run_q       <= new_run_d;
      need_word_q     <= need_word_d;
      run_address_q   <= run_address_d;
      run_last_word_q <= run_last_word_d;
      run_high_q      <= run_high_d;
      run_position_q  <= run_position_d;
      run_bytes_q     <= run_bytes_d;
    end
    plan_q          <= plan_d;
    next_word_q     <= next_word_d;
    old_last_word_q <= old_last_word_d;
    old_high_q      <= old_high_d;
    fill_q          <= fill_d;
  end

  assign ready_o = ready_q;
  assign plan_o = plan_q;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      if (take_i) begin
        assert (ready_q) else $error("take_i without ready_o");
      end
    end
  end
`endif

endmodule
