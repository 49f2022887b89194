// The machine with its ports named as cocotbext-axi expects them: memory is an AXI4 slave on m_axi,
// the host an AXI4-Lite master on s_axil. Checkers are bound to its bus and to its
// queues, which must be empty whenever the machine does not run.
module machine_cocotb
  import hwc_target_pkg::*;
  import hwc_stream_pkg::*;
  import hwc_core_pkg::*;
#(
    localparam int unsigned HostAddressBits = host_registers_pkg::HOST_REGISTERS_MIN_ADDR_WIDTH
) (
    input  logic                       clk_i,
    input  logic                       rst_ni,
    output logic                       running_o,
    // Host.
    input  logic [HostAddressBits-1:0] s_axil_awaddr,
    input  logic                       s_axil_awvalid,
    output logic                       s_axil_awready,
    input  logic [       HostBits-1:0] s_axil_wdata,
    input  logic [     HostBits/8-1:0] s_axil_wstrb,
    input  logic                       s_axil_wvalid,
    output logic                       s_axil_wready,
    output logic [                1:0] s_axil_bresp,
    output logic                       s_axil_bvalid,
    input  logic                       s_axil_bready,
    input  logic [HostAddressBits-1:0] s_axil_araddr,
    input  logic                       s_axil_arvalid,
    output logic                       s_axil_arready,
    output logic [       HostBits-1:0] s_axil_rdata,
    output logic [                1:0] s_axil_rresp,
    output logic                       s_axil_rvalid,
    input  logic                       s_axil_rready,
    // Memory. There is one transaction id, 0; bursts are incrementing and of whole bus words.
    output logic                       m_axi_arid,
    output address_t                   m_axi_araddr,
    output logic [                7:0] m_axi_arlen,
    output logic [                2:0] m_axi_arsize,
    output logic [                1:0] m_axi_arburst,
    output logic                       m_axi_arvalid,
    input  logic                       m_axi_arready,
    input  logic                       m_axi_rid,
    input  word_t                      m_axi_rdata,
    input  logic [                1:0] m_axi_rresp,
    input  logic                       m_axi_rlast,
    input  logic                       m_axi_rvalid,
    output logic                       m_axi_rready,
    output logic                       m_axi_awid,
    output address_t                   m_axi_awaddr,
    output logic [                7:0] m_axi_awlen,
    output logic [                2:0] m_axi_awsize,
    output logic [                1:0] m_axi_awburst,
    output logic                       m_axi_awvalid,
    input  logic                       m_axi_awready,
    output word_t                      m_axi_wdata,
    output strobe_t                    m_axi_wstrb,
    output logic                       m_axi_wlast,
    output logic                       m_axi_wvalid,
    input  logic                       m_axi_wready,
    input  logic                       m_axi_bid,
    input  logic [                1:0] m_axi_bresp,
    input  logic                       m_axi_bvalid,
    output logic                       m_axi_bready
);

  localparam logic [1:0] Incrementing = 2'b01;

  assign m_axi_arid = 1'b0;
  assign m_axi_arsize = 3'(WordShift);
  assign m_axi_arburst = Incrementing;
  assign m_axi_awid = 1'b0;
  assign m_axi_awsize = 3'(WordShift);
  assign m_axi_awburst = Incrementing;
  assign running_o = u_machine.u_control.running;

  machine u_machine (
      .clk_i,
      .rst_ni,
      .host_aw_valid_i  (s_axil_awvalid),
      .host_aw_ready_o  (s_axil_awready),
      .host_aw_address_i(s_axil_awaddr),
      .host_w_valid_i   (s_axil_wvalid),
      .host_w_ready_o   (s_axil_wready),
      .host_w_data_i    (s_axil_wdata),
      .host_w_strobe_i  (s_axil_wstrb),
      .host_b_valid_o   (s_axil_bvalid),
      .host_b_ready_i   (s_axil_bready),
      .host_b_response_o(s_axil_bresp),
      .host_ar_valid_i  (s_axil_arvalid),
      .host_ar_ready_o  (s_axil_arready),
      .host_ar_address_i(s_axil_araddr),
      .host_r_valid_o   (s_axil_rvalid),
      .host_r_ready_i   (s_axil_rready),
      .host_r_data_o    (s_axil_rdata),
      .host_r_response_o(s_axil_rresp),
      .ar_valid_o       (m_axi_arvalid),
      .ar_ready_i       (m_axi_arready),
      .ar_address_o     (m_axi_araddr),
      .ar_length_o      (m_axi_arlen),
      .r_valid_i        (m_axi_rvalid),
      .r_ready_o        (m_axi_rready),
      .r_data_i         (m_axi_rdata),
      .r_response_i     (m_axi_rresp),
      .r_last_i         (m_axi_rlast),
      .aw_valid_o       (m_axi_awvalid),
      .aw_ready_i       (m_axi_awready),
      .aw_address_o     (m_axi_awaddr),
      .aw_length_o      (m_axi_awlen),
      .w_valid_o        (m_axi_wvalid),
      .w_ready_i        (m_axi_wready),
      .w_data_o         (m_axi_wdata),
      .w_strobe_o       (m_axi_wstrb),
      .w_last_o         (m_axi_wlast),
      .b_valid_i        (m_axi_bvalid),
      .b_ready_o        (m_axi_bready),
      .b_response_i     (m_axi_bresp)
  );

  machine_checks u_checks ();

  // Memory answers in order, so one transaction id is enough.
  logic unused_ids;
  assign unused_ids = m_axi_rid ^ m_axi_bid;

endmodule
