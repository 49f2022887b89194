// Whether a kernel reads bytes that the kernel before it writes. The extents of a kernel's streams
// come one by one; those of its outputs are kept until the next kernel has been looked at.
//
// Timing: start_i, before the extents of a kernel, forgets what was found; reads_result_o includes
// the extent of cycle t from cycle t + 1 on. keep_i says that the engines take the kernel; the
// extents of the next one come two cycles later or more.
module result_check
  import hwc_target_pkg::*;
  import hwc_core_pkg::*;
(
    input  logic           clk_i,
    input  logic           rst_ni,
    input  logic           start_i,
    input  logic           keep_i,
    input  logic           extent_valid_i,
    input  stream_number_t extent_stream_i,
    // verilator lint_off UNUSEDSIGNAL
    input  extent_t        extent_i,         // without its elements' type
    // verilator lint_on UNUSEDSIGNAL
    output logic           reads_result_o
);

  typedef struct packed {
    logic [HostBits-1:0] first;
    logic [HostBits-1:0] limit;
  } bytes_t;

  bytes_t [OutputStreams-1:0] own_q, kept_q;
  logic [OutputStreams-1:0] own_valid_d, own_valid_q, kept_valid_q, shares, written;
  logic found_d, found_q, keep_q;

  always_comb begin
    for (int unsigned i = 0; i < OutputStreams; i++) begin
      written[i] = extent_valid_i && extent_stream_i == stream_number_t'(InputStreams + i);
      shares[i] = kept_valid_q[i] && extent_i.first < kept_q[i].limit
          && kept_q[i].first < extent_i.limit;
    end
    own_valid_d = start_i ? '0 : extent_i.empty ? own_valid_q : own_valid_q | written;
    found_d = found_q;
    if (extent_valid_i && !extent_i.empty && !is_output_number(extent_stream_i)) begin
      found_d = found_q || shares != '0;
    end
    if (start_i) found_d = 1'b0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      own_valid_q  <= '0;
      kept_valid_q <= '0;
      found_q      <= 1'b0;
      keep_q       <= 1'b0;
    end else begin
      own_valid_q <= own_valid_d;
      found_q     <= found_d;
      keep_q      <= keep_i;
      if (keep_q) kept_valid_q <= own_valid_q;
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < OutputStreams; i++) begin
      if (written[i]) own_q[i] <= '{first: extent_i.first, limit: extent_i.limit};
    end
    if (keep_q) kept_q <= own_q;
  end

  assign reads_result_o = found_q;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      if (keep_i || keep_q) assert (!extent_valid_i && !start_i)
      else $error("extents that come while others are kept");
    end
  end
`endif

endmodule
