// The read master on the memory model, which the testbench fills: what a bench of the control side
// fetches from. A read only; with stall_i the memory hesitates at random.
module read_memory
  import hwc_target_pkg::*;
  import hwc_stream_pkg::*;
#(
    parameter longint unsigned MemoryBase  = 64'h10000,
    parameter int unsigned     MemoryWords = 1024
) (
    input  logic          clk_i,
    input  logic          rst_ni,
    input  logic          stall_i,
    input  logic          request_valid_i,
    input  read_request_t request_i,
    output logic          request_ready_o,
    output image_valid_t  word_valid_o,
    output read_word_t    word_o,
    output logic          error_o
);

  logic ar_valid, ar_ready, r_valid, r_ready, r_last;
  address_t ar_address;
  logic [7:0] ar_length;
  word_t r_data;
  logic [1:0] r_response;
  // verilator lint_off UNUSEDSIGNAL
  logic idle;  // one loader at a time needs no word of it
  logic [InputStreams-1:0] stream_valid;  // nothing is for a stream
  logic aw_ready, w_ready, b_valid;  // nothing is written
  logic [1:0] b_response;
  // verilator lint_on UNUSEDSIGNAL

  axi_read_master u_master (
      .clk_i,
      .rst_ni,
      .request_valid_i,
      .request_i,
      .request_ready_o,
      .stream_valid_o(stream_valid),
      .image_valid_o (word_valid_o),
      .word_o,
      .idle_o      (idle),
      .error_o,
      .ar_valid_o  (ar_valid),
      .ar_address_o(ar_address),
      .ar_length_o (ar_length),
      .ar_ready_i  (ar_ready),
      .r_valid_i   (r_valid),
      .r_data_i    (r_data),
      .r_response_i(r_response),
      .r_last_i    (r_last),
      .r_ready_o   (r_ready)
  );

  logic [4:0] stall_q;
  always_ff @(posedge clk_i) begin
    stall_q <= stall_i ? 5'($urandom()) : '0;
  end

  axi_memory_model #(
      .AddressBits(AddressBits),
      .DataBits   (AxiBits),
      .Latency    (MemoryLatency),
      .Words      (MemoryWords)
  ) u_memory (
      .clk_i,
      .rst_ni,
      .base_i      (MemoryBase),
      .stall_i     (stall_q),
      .ar_valid_i  (ar_valid),
      .ar_ready_o  (ar_ready),
      .ar_address_i(ar_address),
      .ar_length_i (ar_length),
      .r_valid_o   (r_valid),
      .r_ready_i   (r_ready),
      .r_data_o    (r_data),
      .r_response_o(r_response),
      .r_last_o    (r_last),
      .aw_valid_i  (1'b0),
      .aw_ready_o  (aw_ready),
      .aw_address_i('0),
      .aw_length_i ('0),
      .w_valid_i   (1'b0),
      .w_ready_o   (w_ready),
      .w_data_i    ('0),
      .w_strobe_i  ('0),
      .w_last_i    (1'b0),
      .b_valid_o   (b_valid),
      .b_ready_i   (1'b1),
      .b_response_o(b_response)
  );

endmodule
