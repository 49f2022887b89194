// The stream path (`stream_path`) from memory to memory, on the memory model.
//
// The file of stimuli (plusarg +stimuli=PATH) holds, kernel after kernel: words_i words of memory,
// the same words as they have to be after the kernel, and the rows of all inputs in use, row by
// row; all big-endian. It starts anew with every reset. load_i loads memory; with stall_i every
// channel of memory hesitates at random, and so does the pipe.
module stream_bench
  import hwc_stream_pkg::*;
  import hwc_target_pkg::*;
#(
    parameter longint unsigned MemoryBase = 64'h10000,
    parameter int unsigned MemoryWords = 1 << 16
) (
    input  logic                              clk_i,
    input  logic                              rst_ni,
    input  logic                              load_i,
    input  logic                              start_i,
    input  logic                              go_i,
    input  logic                              stall_i,
    input  size_t                             points_i,
    input  stream_shape_t [ InputStreams-1:0] shape_i,
    input  output_shape_t [OutputStreams-1:0] output_i,
    input  int unsigned                       words_i,
    output logic                              done_o
);

  logic ar_valid, ar_ready, r_valid, r_ready, r_last, aw_valid, aw_ready;
  logic w_valid, w_ready, w_last, b_valid, b_ready;
  address_t ar_address, aw_address;
  logic [7:0] ar_length, aw_length;
  word_t r_data, w_data;
  strobe_t w_strobe;
  logic [1:0] r_response, b_response;
  logic finished;
  int unsigned wrong_words;

  string stimuli_path;
  int stimuli;

  initial begin
    if (!$value$plusargs("stimuli=%s", stimuli_path)) $fatal(1, "plusarg +stimuli=PATH is missing");
    stimuli = $fopen(stimuli_path, "rb");
    if (stimuli == 0) $fatal(1, "cannot open %s", stimuli_path);
  end

  // A reset starts the stimuli anew.
  always @(negedge rst_ni) void'($rewind(stimuli));

  stream_path u_path (
      .clk_i,
      .rst_ni,
      .load_i,
      .start_i,
      .go_i,
      .stall_i,
      .points_i,
      .shape_i,
      .output_i,
      .stimuli_i    (stimuli),
      .wrong_words_i(wrong_words),
      .finished_o   (finished),
      .done_o,
      .ar_valid_o  (ar_valid),
      .ar_address_o(ar_address),
      .ar_length_o (ar_length),
      .ar_ready_i  (ar_ready),
      .r_valid_i   (r_valid),
      .r_data_i    (r_data),
      .r_response_i(r_response),
      .r_last_i    (r_last),
      .r_ready_o   (r_ready),
      .aw_valid_o  (aw_valid),
      .aw_address_o(aw_address),
      .aw_length_o (aw_length),
      .aw_ready_i  (aw_ready),
      .w_valid_o   (w_valid),
      .w_data_o    (w_data),
      .w_strobe_o  (w_strobe),
      .w_last_o    (w_last),
      .w_ready_i   (w_ready),
      .b_valid_i   (b_valid),
      .b_response_i(b_response),
      .b_ready_o   (b_ready)
  );

  logic [31:0] random;
  logic [ 4:0] memory_stall;

  random_bits u_random (
      .clk_i,
      .rst_ni,
      .bits_o(random)
  );

  // Two bits each, from bits that lie far apart.
  always_comb begin
    for (int unsigned i = 0; i < 5; i++) begin
      memory_stall[i] = stall_i && (random[5*i] | random[4*i+7]);
    end
  end

  axi_memory_model #(
      .AddressBits(AddressBits),
      .DataBits(AxiBits),
      .Latency(MemoryLatency),
      .Words(MemoryWords)
  ) u_memory (
      .clk_i,
      .rst_ni,
      .base_i      (MemoryBase),
      .stall_i     (memory_stall),
      .ar_valid_i  (ar_valid),
      .ar_address_i(ar_address),
      .ar_length_i (ar_length),
      .ar_ready_o  (ar_ready),
      .r_valid_o   (r_valid),
      .r_data_o    (r_data),
      .r_response_o(r_response),
      .r_last_o    (r_last),
      .r_ready_i   (r_ready),
      .aw_valid_i  (aw_valid),
      .aw_address_i(aw_address),
      .aw_length_i (aw_length),
      .aw_ready_o  (aw_ready),
      .w_valid_i   (w_valid),
      .w_data_i    (w_data),
      .w_strobe_i  (w_strobe),
      .w_last_i    (w_last),
      .w_ready_o   (w_ready),
      .b_valid_o   (b_valid),
      .b_response_o(b_response),
      .b_ready_i   (b_ready)
  );

  // The rest is a program: it runs once per clock.
  // verilator lint_off BLKSEQ
  localparam int unsigned Shown = 4;

  word_t expected_words[MemoryWords];

  task automatic check_memory();
    for (int unsigned i = 0; i < words_i; i++) begin
      if (u_memory.words[i] != expected_words[i]) begin
        wrong_words++;
        if (wrong_words < Shown) begin
          $display("memory word %0d: got %h, expected %h", i, u_memory.words[i], expected_words[i]);
        end
      end
    end
  endtask

  always @(posedge clk_i) begin
    if (load_i) begin
      void'($fread(u_memory.words, stimuli, 0, words_i));
      void'($fread(expected_words, stimuli, 0, words_i));
      wrong_words = 0;
    end
    if (finished) check_memory();
  end
  // verilator lint_on BLKSEQ

endmodule
