// Addresses of AXI4 write bursts, in order, with one transaction id, and their responses. The words
// themselves go from the store engine to the bus; they are in the order of the addresses.
//
// A request is split into bursts at every multiple of BurstBeats, one burst per cycle.
//
// Timing: the first burst of a request taken in cycle t is on the address channel in cycle t + 2 at
// the latest, if the channel is free. idle_o is low from the cycle after a request until the cycle
// after its last response.
module axi_write_master
  import hwc_stream_pkg::*;
  import hwc_target_pkg::*;
(
    input  logic           clk_i,
    input  logic           rst_ni,
    input  logic           request_valid_i,
    input  write_request_t request_i,
    output logic           request_ready_o,
    output logic           idle_o,
    output logic           error_o,         // a response was an error, for one cycle
    output logic           aw_valid_o,
    output address_t       aw_address_o,
    output logic [7:0]     aw_length_o,     // beats - 1
    input  logic           aw_ready_i,
    input  logic           b_valid_i,
    input  logic [1:0]     b_response_i,
    output logic           b_ready_o
);

  localparam int unsigned AlignBits = BurstBeats > 1 ? $clog2(BurstBeats) : 1;
  localparam int unsigned ReachBits = unsigned'($bits(segment_count_t)) + AlignBits + 1;
  localparam int unsigned OpenBits = 16;

  write_request_t rest_d, rest_q;
  logic [OpenBits-1:0] open_d, open_q;  // bursts without a response, before that of issued_q
  logic [AlignBits-1:0] aligned;
  logic [ReachBits-1:0] reach;  // beats from the multiple before to the request's end
  burst_count_t beats;
  word_address_t boundary;
  logic ends, issue, issued_q, accept, aw_valid_d, aw_valid_q;
  address_t aw_address_d, aw_address_q;
  logic [7:0] aw_length_d, aw_length_q;

  always_comb begin
    aligned = BurstBeats > 1 ? rest_q.word[AlignBits-1:0] : '0;
    reach = ReachBits'(rest_q.count) + ReachBits'(aligned);
    ends = reach <= ReachBits'(BurstBeats);
    beats = ends ? burst_count_t'(rest_q.count)
                 : burst_count_t'(BurstBeats) - burst_count_t'(aligned);
    boundary = rest_q.word + 1'b1;
    if (BurstBeats > 1) begin
      boundary = '0;
      boundary[$bits(word_address_t)-1:AlignBits] =
          rest_q.word[$bits(word_address_t)-1:AlignBits] + 1'b1;
    end

    // Half of what can be counted, as the number of open bursts is a cycle late.
    issue = rest_q.count != '0 && !open_q[OpenBits-1] && (!aw_valid_q || aw_ready_i);
    request_ready_o = rest_q.count == '0 || (issue && ends);
  end

  always_comb begin
    accept = request_valid_i && request_ready_o;
    aw_valid_d = issue || (aw_valid_q && !aw_ready_i);
    aw_address_d = aw_address_q;
    aw_length_d = aw_length_q;
    rest_d = rest_q;
    if (issue) begin
      aw_address_d = {rest_q.word, word_offset_t'(0)};
      aw_length_d = 8'(beats - 1'b1);
      rest_d.word = boundary;
      rest_d.count = ends ? '0 : segment_count_t'(reach - ReachBits'(BurstBeats));
    end
    if (accept) rest_d = request_i;
  end

  logic answered, error_d, error_q;

  always_comb begin
    answered = b_valid_i && b_ready_o;
    open_d = open_q + OpenBits'(issued_q) - OpenBits'(answered);
    error_d = answered && b_response_i != 2'b00;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rest_q     <= '0;
      aw_valid_q <= 1'b0;
      issued_q   <= 1'b0;
      open_q     <= '0;
      error_q    <= 1'b0;
    end else begin
      rest_q     <= rest_d;
      aw_valid_q <= aw_valid_d;
      issued_q   <= issue;
      open_q     <= open_d;
      error_q    <= error_d;
    end
  end

  always_ff @(posedge clk_i) begin
    aw_address_q <= aw_address_d;
    aw_length_q  <= aw_length_d;
  end

  assign idle_o = rest_q.count == '0 && !issued_q && open_q == '0;
  assign error_o = error_q;
  assign aw_valid_o = aw_valid_q;
  assign aw_address_o = aw_address_q;
  assign aw_length_o = aw_length_q;
  assign b_ready_o = 1'b1;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      if (b_valid_i) begin
        assert (open_q != '0) else $error("got a response without a burst");
      end
    end
  end
`endif

endmodule
