// Tells what the sequencer, the rings and the bus do in a run of the machine, and when and why
// engines wait: one line each on standard output, besides the lines `strip` of machine_bench, whose
// machine this follows. Nothing is told while enable_i is 0.
//
//   span ENGINE WHAT KERNEL STREAM BEGIN END    the fetch is busy with a strip (WHAT is `busy`), or
//                           an engine waits for a cause that a counter has; the sequencer waits in
//                           a `loop` for the fetch (`fetch`) or for an end of earlier work (`end`)
//   part NAME BEGIN         the sequencer begins with `load`, `words`, `setup` or `ending`
//   kernel KERNEL BEGIN END from the start of its fetch to its last write response
//   ring KERNEL STREAM TIME BYTES   the fetch starts a strip: so many bytes are then in the ring,
//                           or room is kept for them
//   bus DIRECTION INTERVAL BYTES    bytes of streams, `read` or `written`, in an interval of
//                           Interval cycles; an interval may be told in several lines
//
// Kernels are counted from 0 in a run, those of the sequencer by their `loop`, the others as they
// start. Times are cycles since the start of the run, STREAM is an operand code or 0. A span or an
// interval is told when it is over.
module detail_trace
  import hwc_isa_pkg::*;
  import hwc_target_pkg::*;
  import hwc_stream_pkg::*;
(
    input logic        clk_i,
    input logic        enable_i,
    input logic        running_i,
    input int unsigned now_i
);

  localparam int unsigned Interval = 64;
  // From the cycle in which the timing contract has a word on the bus to the one in which it is
  // seen here: a read is requested a cycle after the contract says so, the address takes a cycle,
  // and so does the way to the rings; a write is on the bus 2 cycles after its word is full.
  localparam int unsigned ReadDelay = 3;
  localparam int unsigned WriteDelay = 2;
  localparam int unsigned Data = 2;
  localparam int unsigned Slot = Data + InputStreams;
  localparam int unsigned Others = Slot + InputStreams;
  localparam int unsigned Spans = Others + 8;
  localparam int unsigned AtWork = 4;  // kernels at a time, at most

  // The machine in a cycle.
  logic taken[InputStreams];
  int unsigned held[InputStreams];

  for (genvar i = 0; i < InputStreams; i++) begin : gen_streams
    assign taken[i] = machine_bench.u_machine.u_inputs.gen_streams[i].u_stream.u_planner.take_i;
    assign held[i] = 32'(fetch_position_t'(
        machine_bench.u_machine.u_inputs.gen_streams[i].u_stream.u_planner.fill_q
        - machine_bench.u_machine.u_inputs.gen_streams[i].u_stream.u_planner.free_i));
  end

  // The rest is a program.
  // verilator lint_off BLKSEQ

  bit open[Spans];
  int unsigned begins[Spans], kernels[Spans];

  task automatic span(int unsigned number, string engine, string what, int unsigned kernel,
                      int unsigned stream, logic high, logic split = 1'b0);
    if (open[number] && (!high || split)) begin
      $display("span %s %s %0d %0d %0d %0d", engine, what, kernels[number], stream, begins[number],
               now_i);
      open[number] = 1'b0;
    end
    if (high && !open[number]) begin
      open[number] = 1'b1;
      begins[number] = now_i;
      kernels[number] = kernel;
    end
  endtask

  int unsigned interval[2], bytes[2];

  task automatic flush(int unsigned direction);
    if (bytes[direction] != 0) begin
      $display("bus %s %0d %0d", direction == 0 ? "read" : "written", interval[direction],
               bytes[direction]);
    end
    bytes[direction] = 0;
  endtask

  task automatic beat(int unsigned direction, int unsigned cycle, int unsigned count);
    if (interval[direction] != cycle / Interval) flush(direction);
    interval[direction] = cycle / Interval;
    bytes[direction] += count;
  endtask

  // Counted as they start, and as they end.
  int unsigned loops, fetches, broadcasts, pipes, stores, ends, begin_of[AtWork];
  string part, part_before;

  function automatic string part_now();
    if (machine_bench.u_machine.u_control.u_sequencer.shape_start) return "setup";
    case (32'(machine_bench.u_machine.u_control.u_sequencer.state_q))
      1: return "load";
      2: return "words";
      3: return "setup";
      default: return "ending";
    endcase
  endfunction

  task automatic all_spans();
    span(0, "fetch", "busy", fetches - 1, 0, running_i && machine_bench.u_machine.fetch_busy,
         machine_bench.u_machine.u_inputs.take);
    span(1, "fetch", "ring", fetches - 1, 0, running_i && machine_bench.u_machine.fetch_stall_ring);
    for (int unsigned i = 0; i < InputStreams; i++) begin
      span(Data + i, "broadcast", "data", broadcasts - 1, 32'(InputFirst) + i,
           running_i && machine_bench.u_machine.stall_data[i]);
      span(Slot + i, "broadcast", "slot", broadcasts - 1, 32'(InputFirst) + i,
           running_i && machine_bench.u_machine.stall_slot[i]);
    end
    span(Others + 0, "lane", "dependence", pipes - 1, 0,
         running_i && machine_bench.u_machine.pipe_counts.lane_stall_dependence);
    span(Others + 1, "lane", "input", pipes - 1, 0,
         running_i && machine_bench.u_machine.pipe_counts.lane_stall_input);
    span(Others + 2, "lane", "special", pipes - 1, 0,
         running_i && machine_bench.u_machine.pipe_counts.lane_stall_special);
    span(Others + 3, "lane", "output", pipes - 1, 0,
         running_i && machine_bench.u_machine.pipe_counts.lane_stall_output);
    span(Others + 4, "special", "any", pipes - 1, 0,
         running_i && machine_bench.u_machine.pipe_counts.special_stall);
    span(Others + 5, "store", "input", stores - 1, 0,
         running_i && machine_bench.u_machine.store_stall_input);
    span(Others + 6, "sequencer", "fetch", loops - 1, 0,
         running_i && 32'(machine_bench.u_machine.u_control.u_sequencer.u_setup.state_q) == 2
         && machine_bench.u_machine.u_control.u_sequencer.u_setup.shapes_done_i
         && machine_bench.u_machine.u_control.u_sequencer.u_setup.runs
         && !machine_bench.u_machine.u_control.u_sequencer.u_setup.fetch_free_i);
    span(Others + 7, "sequencer", "end", loops - 1, 0,
         running_i && 32'(machine_bench.u_machine.u_control.u_sequencer.u_setup.state_q) == 3
         && machine_bench.u_machine.u_control.u_sequencer.u_setup.left_q == 1
         && machine_bench.u_machine.u_control.u_sequencer.u_setup.runs
         && !machine_bench.u_machine.u_control.u_sequencer.u_setup.may_go_i);
  endtask

  always @(posedge clk_i) begin
    if (!running_i) begin
      if (enable_i) all_spans();
      loops = 0;
      fetches = 0;
      broadcasts = 0;
      pipes = 0;
      stores = 0;
      ends = 0;
      part_before = "";
      bytes[0] = 0;
      bytes[1] = 0;
    end else if (enable_i) begin
      part = part_now();
      if (part != part_before || machine_bench.u_machine.u_control.u_sequencer.shape_start) begin
        $display("part %s %0d", part, now_i);
      end
      part_before = part;
      if (machine_bench.u_machine.u_control.u_sequencer.shape_start) loops++;
      if (machine_bench.u_machine.fetch_go) begin
        begin_of[fetches % AtWork] = now_i;
        fetches++;
      end
      if (machine_bench.u_machine.broadcast_go) broadcasts++;
      if (machine_bench.u_machine.pipe_go) pipes++;
      if (machine_bench.u_machine.store_go) stores++;
      all_spans();
      for (int unsigned i = 0; i < InputStreams; i++) begin
        if (taken[i]) begin
          $display("ring %0d %0d %0d %0d", fetches - 1, 32'(InputFirst) + i, now_i, held[i]);
        end
      end
      if (machine_bench.u_machine.read_beat) begin
        beat(0, now_i - ReadDelay, 32'(machine_bench.u_machine.word.bytes));
      end
      if (machine_bench.u_machine.write_beat) begin
        beat(1, now_i - WriteDelay, 32'($countones(machine_bench.u_machine.write_word.strobe)));
      end
      if (machine_bench.u_machine.finished) begin
        $display("kernel %0d %0d %0d", ends, begin_of[ends % AtWork], now_i + 1);
        flush(0);
        flush(1);
        ends++;
      end
    end
  end

  // verilator lint_on BLKSEQ

endmodule
