// Queue of `Depth` entries in order, whose entries move up when the oldest is taken: the two oldest
// come from registers, without a multiplexer.
//
// Timing: what is pushed in cycle t can be seen from cycle t + 1 on. some_o says that there is an
// oldest entry; next_o is the one after it, and means nothing if there is none. push_i while the
// queue is full and nothing is taken, or take_i while it is empty, is an error.
module shift_queue #(
    parameter type data_t = logic,
    parameter int unsigned Depth = 2
) (
    input  logic  clk_i,
    input  logic  rst_ni,
    input  logic  push_i,
    input  data_t data_i,
    input  logic  take_i,
    output logic  some_o,
    output data_t oldest_o,
    output data_t next_o
);

  if (Depth < 2) begin : gen_depth_check
    $error("shift_queue needs a Depth of at least 2, got %0d", Depth);
  end

  data_t [Depth-1:0] entries_d, entries_q;
  // Where the next entry goes: one bit, or none if the queue is full.
  logic [Depth-1:0] end_d, end_q, end_if_taken;
  logic some_d, some_q;

  // take_i comes late, so that both cases are there before.
  data_t [Depth-1:0] kept, moved;

  always_comb begin
    // A full queue has its end, after a take, at the last place.
    end_if_taken = {end_q == '0, end_q[Depth-1:1]};
    some_d = push_i || (some_q && !(take_i && end_q[1]));
    for (int unsigned i = 0; i < Depth; i++) begin
      kept[i] = push_i && end_q[i] ? data_i : entries_q[i];
      moved[i] = push_i && end_if_taken[i] ? data_i : entries_q[i+1<Depth?i+1 : i];
    end
    entries_d = take_i ? moved : kept;
    end_d = take_i ? end_if_taken << push_i : end_q << push_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      end_q  <= Depth'(1);
      some_q <= 1'b0;
    end else begin
      end_q  <= end_d;
      some_q <= some_d;
    end
  end

  always_ff @(posedge clk_i) begin
    entries_q <= entries_d;
  end

  assign some_o = some_q;
  assign oldest_o = entries_q[0];
  assign next_o = entries_q[1];

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      assert (some_q == !end_q[0])
      else $error("some_o is %0d, the queue ends at place %b", some_q, end_q);
      if (push_i) assert (take_i || end_q != '0)
      else $error("a full queue gets an entry");
      if (take_i) assert (some_q)
      else $error("an entry is taken from an empty queue");
    end
  end
`endif

endmodule
