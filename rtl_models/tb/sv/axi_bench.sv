// The stream path (`stream_path`) on a bus whose memory is the testbench's.
//
// The file of stimuli (plusarg +stimuli=PATH) is the file of `stream_bench`: load_i skips the
// 2 * words_i words of memory in it. With stall_i the pipe hesitates at random.
module axi_bench
  import hwc_stream_pkg::*;
  import hwc_target_pkg::*;
(
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
    output logic                              done_o,
    output logic                              m_axi_arid,
    output address_t                          m_axi_araddr,
    output logic          [              7:0] m_axi_arlen,
    output logic          [              2:0] m_axi_arsize,
    output logic          [              1:0] m_axi_arburst,
    output logic                              m_axi_arvalid,
    input  logic                              m_axi_arready,
    input  logic                              m_axi_rid,
    input  word_t                             m_axi_rdata,
    input  logic          [              1:0] m_axi_rresp,
    input  logic                              m_axi_rlast,
    input  logic                              m_axi_rvalid,
    output logic                              m_axi_rready,
    output logic                              m_axi_awid,
    output address_t                          m_axi_awaddr,
    output logic          [              7:0] m_axi_awlen,
    output logic          [              2:0] m_axi_awsize,
    output logic          [              1:0] m_axi_awburst,
    output logic                              m_axi_awvalid,
    input  logic                              m_axi_awready,
    output word_t                             m_axi_wdata,
    output strobe_t                           m_axi_wstrb,
    output logic                              m_axi_wlast,
    output logic                              m_axi_wvalid,
    input  logic                              m_axi_wready,
    input  logic                              m_axi_bid,
    input  logic          [              1:0] m_axi_bresp,
    input  logic                              m_axi_bvalid,
    output logic                              m_axi_bready
);

  localparam int unsigned SeekCurrent = 1;

  string stimuli_path;
  int stimuli;

  initial begin
    if (!$value$plusargs("stimuli=%s", stimuli_path)) $fatal(1, "plusarg +stimuli=PATH is missing");
    stimuli = $fopen(stimuli_path, "rb");
    if (stimuli == 0) $fatal(1, "cannot open %s", stimuli_path);
  end

  // A reset starts the stimuli anew.
  always @(negedge rst_ni) void'($rewind(stimuli));

  always @(posedge clk_i) begin
    if (load_i) void'($fseek(stimuli, 2 * words_i * AxiBytes, SeekCurrent));
  end

  // Identifiers are all 0, and the testbench waits for done_o.
  // verilator lint_off UNUSEDSIGNAL
  logic unused_ids, finished;
  // verilator lint_on UNUSEDSIGNAL
  assign unused_ids = m_axi_rid ^ m_axi_bid;
  assign m_axi_arid = 1'b0;
  assign m_axi_arsize = 3'(WordShift);
  assign m_axi_arburst = 2'b01;
  assign m_axi_awid = 1'b0;
  assign m_axi_awsize = 3'(WordShift);
  assign m_axi_awburst = 2'b01;

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
      .wrong_words_i(0),
      .finished_o   (finished),
      .done_o,
      .ar_valid_o  (m_axi_arvalid),
      .ar_address_o(m_axi_araddr),
      .ar_length_o (m_axi_arlen),
      .ar_ready_i  (m_axi_arready),
      .r_valid_i   (m_axi_rvalid),
      .r_data_i    (m_axi_rdata),
      .r_response_i(m_axi_rresp),
      .r_last_i    (m_axi_rlast),
      .r_ready_o   (m_axi_rready),
      .aw_valid_o  (m_axi_awvalid),
      .aw_address_o(m_axi_awaddr),
      .aw_length_o (m_axi_awlen),
      .aw_ready_i  (m_axi_awready),
      .w_valid_o   (m_axi_wvalid),
      .w_data_o    (m_axi_wdata),
      .w_strobe_o  (m_axi_wstrb),
      .w_last_o    (m_axi_wlast),
      .w_ready_i   (m_axi_wready),
      .b_valid_i   (m_axi_bvalid),
      .b_response_i(m_axi_bresp),
      .b_ready_o   (m_axi_bready)
  );

endmodule
