// Reads bursts over AXI4, in order, with one transaction id, and passes the words on with the
// tag of their request, turned so that the first byte that was asked for is the lowest one. Data is
// always taken: the requester has reserved the space.
//
// Timing: a request taken in cycle t is on the address channel in cycle t + 1; its first beat is
// taken in cycle t + 2 at the earliest. A beat in cycle t is on word_o in cycle t + 1, and
// stream_valid_o and image_valid_o say for whom, in a register for each reader. Up to
// Outstanding + 1 bursts may be on the way: Outstanding that wait for their first beat, and the one
// whose beats come in.
module axi_read_master
  import hwc_stream_pkg::*;
  import hwc_target_pkg::*;
(
    input  logic                             clk_i,
    input  logic                             rst_ni,
    input  logic                             request_valid_i,
    input  read_request_t                    request_i,
    output logic                             request_ready_o,
    output logic          [InputStreams-1:0] stream_valid_o,
    output image_valid_t                     image_valid_o,
    output read_word_t                       word_o,
    output logic                             idle_o,           // nothing is on the way
    output logic                             error_o,          // of a beat, for one cycle
    output logic                             ar_valid_o,
    output address_t                         ar_address_o,
    output logic          [7:0]              ar_length_o,      // beats - 1
    input  logic                             ar_ready_i,
    input  logic                             r_valid_i,
    input  word_t                            r_data_i,
    input  logic          [1:0]              r_response_i,
    input  logic                             r_last_i,
    output logic                             r_ready_o
);

  typedef struct packed {
    burst_count_t beats;
    read_tag_t tag;
  } record_t;

  typedef struct packed {
    record_t record;
    logic one_beat;
  } waiting_t;

  localparam int unsigned WaitingBits = $clog2(Outstanding + 1);

  // Address channel.
  logic [WaitingBits-1:0] waiting_d, waiting_q;  // bursts without a beat yet
  logic ar_valid_d, ar_valid_q, accept, record_ready, record_valid_d, record_valid_q;
  address_t ar_address_d, ar_address_q;
  logic [7:0] ar_length_d, ar_length_q;

  assign request_ready_o = record_ready && waiting_q != WaitingBits'(Outstanding)
      && (!ar_valid_q || ar_ready_i);

  always_comb begin
    accept = request_valid_i && request_ready_o;
    ar_valid_d = accept || (ar_valid_q && !ar_ready_i);
    ar_address_d = ar_address_q;
    ar_length_d = ar_length_q;
    if (accept) begin
      ar_address_d = {request_i.word, word_offset_t'(0)};
      ar_length_d = 8'(request_i.beats - 1'b1);
    end
  end

  // Bursts on the way: the oldest, how far that has come, whether its next beat is its last, and
  // those after it.
  record_t record_q;
  waiting_t next_record, new_record;
  logic next_valid, load, beat, last_d, last_q, first_d, first_q;
  burst_count_t done_d, done_q;

  assign new_record = '{
    record: '{beats: request_i.beats, tag: request_i.tag},
    one_beat: request_i.beats == burst_count_t'(1)
  };

  fifo #(
      .data_t(waiting_t),
      .Depth (Outstanding)
  ) u_records (
      .clk_i,
      .rst_ni,
      .valid_i(accept),
      .ready_o(record_ready),
      .data_i (new_record),
      .valid_o(next_valid),
      .ready_i(load),
      .data_o (next_record)
  );

  logic word_valid_q, error_d, error_q;
  logic [InputStreams-1:0] stream_valid_d, stream_valid_q;
  image_valid_t image_valid_d, image_valid_q;
  read_word_t word_d, word_q;
  word_offset_t low;
  strobe_t strobe_q;  // of the last word of the burst

  always_comb begin
    beat = r_valid_i && r_ready_o;
    load = next_valid && (!record_valid_q || (beat && last_q));
    record_valid_d = load || (record_valid_q && !(beat && last_q));
    done_d = done_q;
    first_d = first_q;
    last_d = last_q;
    if (beat) begin
      done_d = last_q ? '0 : done_q + 1'b1;
      first_d = last_q;
      last_d = done_q + burst_count_t'(2) == record_q.beats;
    end
    if (load) last_d = next_record.one_beat;
    waiting_d = waiting_q + WaitingBits'(accept) - WaitingBits'(beat && first_q);
    for (int unsigned i = 0; i < InputStreams; i++) begin
      stream_valid_d[i] = beat && record_q.tag.target == ReadStream
          && record_q.tag.stream == stream_index_t'(i);
    end
    image_valid_d.of_program = beat && record_q.tag.target == ReadProgram;
    image_valid_d.of_packet = beat && record_q.tag.target == ReadPacket;
    error_d = beat && r_response_i != 2'b00;
    low = first_q ? record_q.tag.low : '0;
    word_d.data = r_data_i;
    for (int unsigned i = 0; i < WordShift; i++) begin
      if (low[i]) word_d.data = word_t'({word_d.data, word_d.data} >> (8 << i));
    end
    word_d.bytes = (last_q ? record_q.tag.high : word_count_t'(AxiBytes)) - {1'b0, low};
    word_d.strobe = (last_q ? strobe_q : '1) >> low;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ar_valid_q     <= 1'b0;
      waiting_q      <= '0;
      record_valid_q <= 1'b0;
      done_q         <= '0;
      first_q        <= 1'b1;
      word_valid_q   <= 1'b0;
      stream_valid_q <= '0;
      image_valid_q  <= '0;
      error_q        <= 1'b0;
    end else begin
      ar_valid_q     <= ar_valid_d;
      waiting_q      <= waiting_d;
      record_valid_q <= record_valid_d;
      done_q         <= done_d;
      first_q        <= first_d;
      word_valid_q   <= beat;
      stream_valid_q <= stream_valid_d;
      image_valid_q  <= image_valid_d;
      error_q        <= error_d;
    end
  end

  always_ff @(posedge clk_i) begin
    ar_address_q <= ar_address_d;
    ar_length_q  <= ar_length_d;
    last_q       <= last_d;
    if (beat) word_q <= word_d;
    if (load) begin
      record_q <= next_record.record;
      strobe_q <= ~({AxiBytes{1'b1}} << next_record.record.tag.high);
    end
  end

  assign ar_valid_o = ar_valid_q;
  assign ar_address_o = ar_address_q;
  assign ar_length_o = ar_length_q;
  assign r_ready_o = record_valid_q;
  assign stream_valid_o = stream_valid_q;
  assign image_valid_o = image_valid_q;
  assign word_o = word_q;
  assign idle_o = !next_valid && !record_valid_q && !word_valid_q;
  assign error_o = error_q;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      if (r_valid_i) begin
        assert (record_valid_q) else $error("got a beat without a request");
      end
      if (beat) begin
        assert (r_last_i == last_q) else $error("got the last beat too early or too late");
      end
    end
  end
`endif

endmodule
