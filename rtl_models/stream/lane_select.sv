// Gives each lane its element: of the window that the beat read or, past the end of a pass, of the
// head of the block, which is kept from its first pass.
//
// The head fills as the first pass comes along: a beat at element q of the pass brings elements q
// and on; those that memory has not brought yet are brought anew by a beat that comes later.
//
// Timing: the beat is issued in cycle t, its window is on window_i in cycle t + 2, its row is on
// row_o with its lanes in lanes_o in cycle t + 4.
module lane_select
  import hwc_stream_pkg::*;
  import hwc_isa_pkg::*;
  import hwc_target_pkg::*;
(
    input  logic                                     clk_i,
    input  logic                                     rst_ni,
    // verilator lint_off UNUSEDSIGNAL
    input  stream_shape_t                            shape_i,  // a part is enough
    // verilator lint_on UNUSEDSIGNAL
    input  logic                                     beat_valid_i,
    input  beat_t                                    beat_i,
    input  logic          [Lanes*LaneBytes-1:0][7:0] window_i,
    output logic          [Lanes-1:0]                lanes_o,
    output row_t                                     row_o
);

  typedef logic [LaneShift:0] table_index_t;

  // While the ring reads the rows.
  logic valid_q;
  // verilator lint_off UNUSEDSIGNAL
  beat_t beat_q;  // its address went to the ring
  // verilator lint_on UNUSEDSIGNAL

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= beat_valid_i;
  end

  always_ff @(posedge clk_i) beat_q <= beat_i;

  // Two cycles after a kernel's last beat shape_i may be the next kernel's.
  // verilator lint_off UNUSEDSIGNAL
  stream_shape_t shape_q;
  // verilator lint_on UNUSEDSIGNAL

  always_ff @(posedge clk_i) shape_q <= shape_i;

  // Which points the beat serves, and how many elements ahead of the first each takes its own.
  logic [Lanes-1:0] served_d, served_q;
  lane_count_t [Lanes-1:0] ahead_d, ahead_q;
  // verilator lint_off UNUSEDSIGNAL
  beat_t ahead_beat_q;  // what the elements need
  // verilator lint_on UNUSEDSIGNAL

  always_comb begin
    for (int unsigned i = 0; i < Lanes; i++) begin
      lane_index_t point;
      // Points of the beat before this lane's; lanes before the first one are not served.
      point = lane_index_t'(i) - beat_q.first_lane;
      served_d[i] = valid_q && i >= 32'(beat_q.first_lane)
          && {1'b0, point} < beat_q.count;
      ahead_d[i] = beat_q.small_repeat
          ? shape_i.repeat_div[table_index_t'(beat_q.repeated) + table_index_t'(point)]
          : lane_count_t'({1'b0, point} >= beat_q.repeat_left);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) served_q <= '0;
    else served_q <= served_d;
  end

  always_ff @(posedge clk_i) begin
    ahead_q                <= ahead_d;
    ahead_beat_q           <= beat_q;
    ahead_beat_q.load_head <= valid_q && beat_q.load_head;
  end

  // The elements of the window, and which of them each lane takes, or of the head.
  logic [Lanes-1:0] window_lanes_q, from_head_d, from_head_q;
  lane_index_t [Lanes-1:0] index_d, index_q;
  row_t memory_d, memory_q;  // the window's elements as load_element takes them
  // Decoded already, since each lane needs it.
  // verilator lint_off UNUSEDSIGNAL
  type_set_t memory_type_q;  // some codes are of no type
  // verilator lint_on UNUSEDSIGNAL
  logic window_head_q;
  lane_index_t window_position_q;

  always_comb begin
    for (int unsigned i = 0; i < Lanes; i++) begin
      memory_d[i] = window_i[4*i+:4];
      unique case (type_bytes(shape_q.element_type))
        3'd1: memory_d[i][LaneBits-1-:16] = {window_i[i], 8'd0};
        3'd2: memory_d[i][LaneBits-1-:16] = window_i[2*i+:2];
        default: ;
      endcase
    end
  end

  always_comb begin
    for (int unsigned i = 0; i < Lanes; i++) begin
      from_head_d[i] = 1'b0;
      index_d[i] = ahead_q[i][LaneShift-1:0];
      if (ahead_beat_q.small_pass) begin
        index_d[i] =
            shape_q.pass_mod[table_index_t'(ahead_beat_q.pass_position) + ahead_q[i]];
      end else if (ahead_q[i] >= ahead_beat_q.pass_left) begin
        from_head_d[i] = 1'b1;
        index_d[i] = lane_index_t'(ahead_q[i] - ahead_beat_q.pass_left);
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      window_lanes_q <= '0;
      window_head_q  <= 1'b0;
    end else begin
      window_lanes_q <= served_q;
      window_head_q  <= ahead_beat_q.load_head;
    end
  end

  always_ff @(posedge clk_i) begin
    memory_q          <= memory_d;
    memory_type_q     <= load_type(shape_q.element_type);
    from_head_q       <= from_head_d;
    index_q           <= index_d;
    window_position_q <= ahead_beat_q.head_position;
  end

  // Elements of the window as lanes hold them.
  row_t elements_d, elements_q;

  always_comb begin
    for (int unsigned i = 0; i < Lanes; i++) begin
      elements_d[i] = load_element(memory_q[i], memory_type_q);
    end
  end

  // Window to row.
  logic [Lanes-1:0] lanes_q, row_from_head_q;
  lane_index_t [Lanes-1:0] row_index_q;
  logic load_head_q;
  lane_index_t head_position_q;
  row_t head_d, head_q;

  always_comb begin
    for (int unsigned i = 0; i < Lanes; i++) begin
      head_d[i] = head_q[i];
      if (load_head_q && i >= 32'(head_position_q)) begin
        head_d[i] = elements_q[lane_index_t'(i)-head_position_q];
      end
      row_o[i] = row_from_head_q[i] ? head_q[row_index_q[i]] : elements_q[row_index_q[i]];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      lanes_q     <= '0;
      load_head_q <= 1'b0;
    end else begin
      lanes_q     <= window_lanes_q;
      load_head_q <= window_head_q;
    end
  end

  always_ff @(posedge clk_i) begin
    head_position_q <= window_position_q;
    elements_q      <= elements_d;
    row_from_head_q <= from_head_q;
    row_index_q     <= index_q;
    head_q          <= head_d;
  end

  assign lanes_o = lanes_q;

endmodule
