// The bytes of the streams of a kernel, one stream a cycle, and whether they may lie there. Of the
// streams that may not, the first is reported, and that it is misaligned before that it is outside
// of the window.
//
// Timing: covered_i in cycle t with valid_i, and base_i of the same stream; extent_o with
// extent_valid_o in cycle t + 3, and with last_o if it is the kernel's last; fault_o, and faulty_o
// that there is one, include the stream from cycle t + 5 on. start_i, before the first stream,
// forgets the fault.
module stream_extent
  import hwc_isa_pkg::*;
  import hwc_stream_pkg::*;
  import hwc_core_pkg::*;
(
    input  logic                          clk_i,
    input  logic                          rst_ni,
    input  logic                          clear_i,
    input  logic                          start_i,
    input  logic           [HostBits-1:0] window_base_i,
    input  logic           [HostBits-1:0] window_limit_i,
    input  logic                          valid_i,
    input  covered_t                      covered_i,
    input  stream_base_t                  base_i,
    output logic                          extent_valid_o,
    output stream_number_t                extent_stream_o,
    output extent_t                       extent_o,
    output logic                          last_o,
    output logic                          busy_o,
    output logic                          faulty_o,
    output fault_t                        fault_o
);

  // The end of a stream, in as many bits as it may take.
  localparam int unsigned ByteBits = SizeBits + 2;
  localparam int unsigned LimitBits = $bits(stream_address_t) + 1;

  typedef struct packed {
    // verilator lint_off UNUSEDSIGNAL
    covered_t covered;  // its elements in the first stages only
    // verilator lint_on UNUSEDSIGNAL
    stream_base_t base;
  } stream_t;

  // Bytes, their end, the window, the fault.
  localparam int unsigned Stages = 4;
  logic [Stages-1:0] valid_q;
  stream_t covered_q, counted_q, ended_q;
  logic [ByteBits-1:0] bytes_q;
  logic [LimitBits-1:0] limit_q;
  logic outside_d, outside_q, misaligned_d, misaligned_q;
  stream_number_t stream_q;
  logic faulty_d, faulty_q;
  fault_t fault_d, fault_q;

  always_comb begin
    misaligned_d = (ended_q.base.address
        & ((stream_address_t'(1) << element_shift(ended_q.base.element_type)) - 1'b1)) != '0;
    outside_d = !ended_q.covered.empty && (ended_q.covered.overflow
        || ended_q.base.address < stream_address_t'(window_base_i)
        || limit_q > LimitBits'(window_limit_i));

    faulty_d = faulty_q;
    fault_d = fault_q;
    if (valid_q[Stages-1] && !faulty_q && (misaligned_q || outside_q)) begin
      faulty_d = 1'b1;
      fault_d = '{
        code: misaligned_q ? FaultMisaligned : FaultOutOfWindow,
        stream: code_of(stream_q),
        dimension: '0
      };
    end
    if (start_i) begin
      faulty_d = 1'b0;
      fault_d = NoFault;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= clear_i ? '0 : {valid_q[Stages-2:0], valid_i};
  end

  always_ff @(posedge clk_i) begin
    covered_q    <= '{covered: covered_i, base: base_i};
    counted_q    <= covered_q;
    bytes_q      <= ByteBits'(covered_q.covered.elements)
        << element_shift(covered_q.base.element_type);
    ended_q      <= counted_q;
    limit_q      <= LimitBits'(counted_q.base.address) + LimitBits'(bytes_q);
    stream_q     <= ended_q.covered.stream;
    misaligned_q <= misaligned_d;
    outside_q    <= outside_d;
    faulty_q     <= faulty_d;
    fault_q      <= fault_d;
  end

  assign extent_valid_o = valid_q[Stages-2];
  assign extent_stream_o = ended_q.covered.stream;
  assign extent_o = '{
    first: ended_q.base.address[HostBits-1:0],
    limit: limit_q[HostBits-1:0],
    empty: ended_q.covered.empty,
    dense: ended_q.covered.dense,
    element_type: ended_q.base.element_type
  };
  assign last_o = ended_q.covered.last_stream;
  assign busy_o = valid_q != '0;
  assign faulty_o = faulty_q;
  assign fault_o = fault_q;

endmodule
