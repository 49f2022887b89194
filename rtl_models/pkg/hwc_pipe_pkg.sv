// Types of the vector pipe: a decoded instruction of a body, and what travels with a beat of it.
package hwc_pipe_pkg;

  // A package offers more than one design uses.
  // verilator lint_off UNUSEDPARAM
  // verilator lint_off UNUSEDSIGNAL

  import hwc_isa_pkg::*;
  import hwc_target_pkg::*;
  import hwc_stream_pkg::*;
  import hwc_core_pkg::*;

  localparam int unsigned Sources = 3;  // operands of an instruction: a, b, c

  // A row of lanes holds Parts beats of an instruction of the special rate.
  localparam int unsigned RateShift = $clog2(SpecialRate);
  localparam int unsigned Parts = Lanes / SpecialRate;
  typedef logic [(Parts > 1 ? $clog2(Parts) : 1)-1:0] part_t;
  typedef lane_t [SpecialRate-1:0] part_row_t;

  function automatic int unsigned longest_latency();
    longest_latency = 0;
    for (int unsigned unit = 0; unit < 2 ** $bits(unit_e); unit++) begin
      if (unit_latency(unit_e'(unit)) > longest_latency) begin
        longest_latency = unit_latency(unit_e'(unit));
      end
    end
  endfunction

  localparam int unsigned MaxLatency = longest_latency();
  typedef logic [$clog2(MaxLatency+1)-1:0] latency_t;

  // Beats that an instruction of the special rate takes more than another one on the same strip.
  typedef logic [VlenShift-RateShift:0] skew_t;

  typedef logic [(VectorRegisters > 1 ? $clog2(VectorRegisters) : 1)-1:0] register_index_t;
  typedef logic [StripRowBits-1:0] strip_row_t;

  // An instruction of a body. `sources` that are not `used` mean nothing.
  typedef struct packed {
    operation_t op;
    unit_e unit;
    latency_t latency;
    logic special;                     // of the special rate
    operand_t destination;
    operand_t [Sources-1:0] sources;
    logic [Sources-1:0] used;
    lane_t immediate;
    logic last;                        // of the body
    logic last_strip;                  // in the last strip of the kernel
  } body_operation_t;

  // A beat whose operands are being read.
  typedef struct packed {
    operation_t op;
    unit_e unit;
    part_t part;
    operand_t [Sources-1:0] sources;
    lane_t immediate;
  } operand_beat_t;

  // Where the result of a beat goes.
  typedef struct packed {
    unit_e unit;
    operand_t destination;
    store_row_t row;  // of an output buffer; a register's row is the same without the slot
    part_t part;
    logic last;       // of the strip
  } result_beat_t;

  // verilator lint_on UNUSEDSIGNAL
  // verilator lint_on UNUSEDPARAM

endpackage
