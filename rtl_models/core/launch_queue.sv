// Launches in the order in which the host pushed them: the oldest runs, the others wait.
//
// Timing: a launch that is pushed in cycle t starts in t + 1 if nothing else waits, and its run has
// its first cycle in t + 2. Where a run's last cycle is t, it has left the queue in t + 2, in which
// the next one starts. events_o are high for one cycle, in the cycle after a run's last one or with
// the push or flush that makes them. dispatch_o and keeps_counters_o
// hold from start_o to the end of running_i.
//
// An abort is passed to the run at once. Between two runs, in cycle t + 1 of above, it waits for
// the second: no abort is lost while launches run.
//
// After a fault or an abort nothing starts until resume_i. flush_i removes the launches that have
// not started; a push in the same cycle comes after both. A push into a full queue is lost, and an
// event.
module launch_queue
  import hwc_core_pkg::*;
(
    input  logic             clk_i,
    input  logic             rst_ni,
    // Host.
    input  logic             push_i,
    input  launch_t          launch_i,
    input  logic             resume_i,
    input  logic             flush_i,
    input  logic             abort_i,
    output launch_count_t    free_o,       // launches that may be pushed
    output logic             busy_o,       // one runs, or will without the host
    output logic             held_o,       // a fault or an abort holds the others
    output completed_t       completed_o,
    output launch_events_t   events_o,
    // Sequencer.
    output logic             start_o,
    output logic             abort_o,
    output dispatch_t        dispatch_o,
    output logic             keeps_counters_o,
    input  logic             running_i,
    input  status_e          status_i
);

  typedef logic [$clog2(LaunchDepth)-1:0] index_t;

  if (LaunchDepth != 1 << $bits(index_t)) begin : gen_depth_check
    $error("indices wrap: LaunchDepth has to be a power of 2, got %0d", LaunchDepth);
  end

  launch_t entries_q[LaunchDepth];
  launch_t oldest_launch_q;  // from a register, since much is worked out from it as it starts
  index_t oldest_d, oldest_q;
  launch_count_t count_d, count_q, unflushed, kept;
  logic started_d, started_q;  // the oldest one runs
  logic held_d, held_q;
  logic abort_d, abort_q;      // one came between two runs
  completed_t completed_d, completed_q;
  logic ended, full, push;

  always_comb begin
    ended = started_q && !running_i;
    // Whether a run has ended comes late: what follows from it is there for both cases.
    unflushed = flush_i ? launch_count_t'(started_q) : count_q;
    kept = ended ? unflushed - 1'b1 : unflushed;
    full = unflushed == launch_count_t'(LaunchDepth);
    push = push_i && (ended || !full);
    if (ended) count_d = push_i ? unflushed : unflushed - 1'b1;
    else count_d = unflushed + launch_count_t'(push_i && !full);
    oldest_d = oldest_q + index_t'(ended);
    start_o = count_q != '0 && !started_q && !held_q && !flush_i;
    started_d = start_o || (started_q && !ended);
    abort_d = abort_i && ended && unflushed > launch_count_t'(1);
    held_d = held_q && !resume_i;
    completed_d = completed_q;
    if (ended) begin
      if (status_i inside {StatusFault, StatusAborted}) held_d = 1'b1;
      completed_d.count = completed_q.count + 1'b1;
      completed_d.tag = oldest_launch_q.tag;
    end
    events_o.done = ended && status_i == StatusDone;
    events_o.fault = ended && status_i == StatusFault;
    events_o.aborted = ended && status_i == StatusAborted;
    events_o.empty = count_q != '0 && kept == '0;
    events_o.overrun = push_i && !push;
  end

  // One that is pushed is the oldest if nothing is left before it.
  launch_t oldest_if_ended, oldest_if_not;

  always_comb begin
    oldest_if_ended = unflushed > launch_count_t'(1) ? entries_q[oldest_q+1'b1] : launch_i;
    oldest_if_not = unflushed == '0 ? launch_i : oldest_launch_q;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      oldest_q    <= '0;
      count_q     <= '0;
      started_q   <= 1'b0;
      held_q      <= 1'b0;
      abort_q     <= 1'b0;
      completed_q <= '0;
    end else begin
      oldest_q    <= oldest_d;
      count_q     <= count_d;
      started_q   <= started_d;
      held_q      <= held_d;
      abort_q     <= abort_d;
      completed_q <= completed_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (push) entries_q[oldest_q+index_t'(unflushed)] <= launch_i;
    oldest_launch_q <= ended ? oldest_if_ended : oldest_if_not;
  end

  assign free_o = launch_count_t'(LaunchDepth) - count_q;
  assign busy_o = count_q != '0 && !held_q;
  assign held_o = held_q;
  assign completed_o = completed_q;
  assign abort_o = abort_i || abort_q;
  assign dispatch_o = oldest_launch_q.dispatch;
  assign keeps_counters_o = oldest_launch_q.keeps_counters;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      assert (!started_q || (count_q != '0 && !held_q))
      else $error("a launch runs that is not in the queue, or is held");
      assert (!running_i || started_q)
      else $error("got a run without a launch");
    end
  end
`endif

endmodule
