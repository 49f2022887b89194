// The host's side of the machine: AXI4-Lite port, registers, which host_registers.rdl describes,
// and the queue of launches.
//
// For the timing of start_o, abort_o, dispatch_o and keeps_counters_o see launch_queue. irq_o is
// high while an interrupt is pending and enabled; what causes one is registered first. What is read
// or written at no register, or written to one that is only read, answers with SLVERR and has no
// effect.
module host_port
  import hwc_isa_pkg::*;
  import hwc_core_pkg::*;
  import hwc_stream_pkg::*;
#(
    localparam int unsigned AddressBits = host_registers_pkg::HOST_REGISTERS_MIN_ADDR_WIDTH,
    localparam int unsigned DataBits = host_registers_pkg::HOST_REGISTERS_DATA_WIDTH
) (
    input  logic                     clk_i,
    input  logic                     rst_ni,
    // AXI4-Lite.
    input  logic                     aw_valid_i,
    output logic                     aw_ready_o,
    input  logic [  AddressBits-1:0] aw_address_i,
    input  logic [              2:0] aw_prot_i,
    input  logic                     w_valid_i,
    output logic                     w_ready_o,
    input  logic [     DataBits-1:0] w_data_i,
    input  logic [ DataBits / 8-1:0] w_strobe_i,
    output logic                     b_valid_o,
    input  logic                     b_ready_i,
    output logic [              1:0] b_response_o,
    input  logic                     ar_valid_i,
    output logic                     ar_ready_o,
    input  logic [  AddressBits-1:0] ar_address_i,
    input  logic [              2:0] ar_prot_i,
    output logic                     r_valid_o,
    input  logic                     r_ready_i,
    output logic [     DataBits-1:0] r_data_o,
    output logic [              1:0] r_response_o,
    output logic                     irq_o,
    // Sequencer and counters.
    output logic                     start_o,
    output logic                     abort_o,
    output bus_attributes_t          bus_attributes_o,
    output dispatch_t                dispatch_o,
    output logic                     keeps_counters_o,
    input  logic                     running_i,
    input  status_e                  status_i,
    input  fault_t                   fault_i,
    input  pc_t                      fault_pc_i,
    input  logic                     axi_error_i,
    input  counters_t                counters_i
);

  if (host_registers_pkg::COUNTERS != CounterCount) begin : gen_counter_check
    $error("host_registers.sv is stale: it has %0d counters", host_registers_pkg::COUNTERS);
  end

  host_registers_pkg::host_registers__in_t to_host;
  host_registers_pkg::host_registers__out_t from_host;

  launch_t launch;
  launch_count_t free;
  logic busy, held;
  completed_t completed;
  launch_events_t events, events_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) events_q <= '0;
    else events_q <= events;
  end

  always_comb begin
    to_host.status.state.next = busy ? StatusRunning : status_i;
    to_host.status.axi_error.next = axi_error_i;
    to_host.status.held.next = held;
    to_host.status.free.next = free;
    to_host.completed.count.next = completed.count;
    to_host.completed.tag.next = completed.tag;
    to_host.irq_pending.done.next = events_q.done;
    to_host.irq_pending.fault.next = events_q.fault;
    to_host.irq_pending.empty.next = events_q.empty;
    to_host.irq_pending.overrun.next = events_q.overrun;
    to_host.irq_pending.aborted.next = events_q.aborted;
    to_host.fault.code.next = fault_i.code;
    to_host.fault.stream.next = fault_i.stream;
    to_host.fault.dimension.next = fault_i.dimension;
    to_host.fault.pc.next = 32'(fault_pc_i);
    for (int unsigned i = 0; i < CounterCount; i++) begin
      to_host.counter[i].value.next = counters_i[i];
    end
  end

  localparam int unsigned ImageShift = $clog2(MachineImageAlignment);
  localparam int unsigned WindowShift = $clog2(MachineWindowAlignment);

  always_comb begin
    launch.tag = from_host.control.tag.value;
    launch.keeps_counters = from_host.control.keep_counters.value;
    launch.dispatch.program_address = {from_host.program_address.address.value, ImageShift'(0)};
    launch.dispatch.program_words = from_host.program_words.words.value;
    launch.dispatch.packet_address = {from_host.packet_address.address.value, ImageShift'(0)};
    launch.dispatch.packet_words = from_host.packet_words.words.value;
    launch.dispatch.window_base = {from_host.window_base.address.value, WindowShift'(0)};
    launch.dispatch.window_limit = {from_host.window_limit.address.value, WindowShift'(0)};
    bus_attributes_o.read.cache = from_host.bus_attributes.read_cache.value;
    bus_attributes_o.read.prot = from_host.bus_attributes.read_prot.value;
    bus_attributes_o.read.qos = from_host.bus_attributes.read_qos.value;
    bus_attributes_o.write.cache = from_host.bus_attributes.write_cache.value;
    bus_attributes_o.write.prot = from_host.bus_attributes.write_prot.value;
    bus_attributes_o.write.qos = from_host.bus_attributes.write_qos.value;
    irq_o = from_host.irq_pending.intr;
  end

  launch_queue u_queue (
      .clk_i,
      .rst_ni,
      .push_i     (from_host.control.start.value),
      .launch_i   (launch),
      .resume_i   (from_host.control.resume.value),
      .flush_i    (from_host.control.flush.value),
      .abort_i    (from_host.control.abort.value),
      .free_o     (free),
      .busy_o     (busy),
      .held_o     (held),
      .completed_o(completed),
      .events_o   (events),
      .start_o,
      .abort_o,
      .dispatch_o,
      .keeps_counters_o,
      .running_i,
      .status_i
  );

  host_registers u_registers (
      .clk           (clk_i),
      .arst_n        (rst_ni),
      .s_axil_awready(aw_ready_o),
      .s_axil_awvalid(aw_valid_i),
      .s_axil_awaddr (aw_address_i),
      .s_axil_awprot (aw_prot_i),
      .s_axil_wready (w_ready_o),
      .s_axil_wvalid (w_valid_i),
      .s_axil_wdata  (w_data_i),
      .s_axil_wstrb  (w_strobe_i),
      .s_axil_bready (b_ready_i),
      .s_axil_bvalid (b_valid_o),
      .s_axil_bresp  (b_response_o),
      .s_axil_arready(ar_ready_o),
      .s_axil_arvalid(ar_valid_i),
      .s_axil_araddr (ar_address_i),
      .s_axil_arprot (ar_prot_i),
      .s_axil_rready (r_ready_i),
      .s_axil_rvalid (r_valid_o),
      .s_axil_rdata  (r_data_o),
      .s_axil_rresp  (r_response_o),
      .hwif_in       (to_host),
      .hwif_out      (from_host)
  );

endmodule
