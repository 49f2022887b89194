// Says when the sources of an instruction are ready: for each register that its port writes, how
// long until an instruction of the same part may begin that reads it.
//
// Timing: an instruction that begins in cycle t (begin_i) and writes a register lets a reader begin
// from cycle t + Latency on. A part begins with part_i: what was written before is ready. ready_o
// belongs to reads_i of the same cycle, and means nothing for the first instruction of a part.
module scoreboard
  import hwc_isa_pkg::*;
#(
    parameter int unsigned Registers = 2,
    parameter int unsigned Latency = MachineLane
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic [Registers-1:0] reads_i,
    input  logic [Registers-1:0] writes_i,
    input  logic                 part_i,
    input  logic                 begin_i,
    output logic                 ready_o
);

  typedef logic [$clog2(Latency)-1:0] wait_t;

  // The register of an instruction that began in cycle t is in written_q in t + 1, and is counted
  // in left_q from t + 2 on: the cycles, this one included, in which no reader may begin. So only
  // one bit of a register, waiting_q, has to know in time what begins in this cycle.
  logic [Registers-1:0] written_d, written_q;
  logic [Registers-1:0] waiting_d, waiting_q;  // no reader may begin
  logic [Registers-1:0] goes_on;  // not in the next cycle either
  wait_t [Registers-1:0] left_d, left_q;
  logic part_q;

  assign ready_o = (reads_i & waiting_q) == '0;

  always_comb begin
    for (int unsigned i = 0; i < Registers; i++) begin
      written_d[i] = begin_i && writes_i[i];
      left_d[i] = left_q[i] == '0 || part_q ? '0 : left_q[i] - 1'b1;
      goes_on[i] = left_q[i] > wait_t'(1) && !part_q;
      if (written_q[i]) begin
        left_d[i] = wait_t'(Latency - 2);
        goes_on[i] = Latency > 2;
      end
      waiting_d[i] = written_d[i] || (goes_on[i] && !part_i);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      written_q <= '0;
      waiting_q <= '0;
      left_q    <= '0;
      part_q    <= 1'b0;
    end else begin
      written_q <= written_d;
      waiting_q <= waiting_d;
      left_q    <= left_d;
      part_q    <= part_i;
    end
  end

endmodule
