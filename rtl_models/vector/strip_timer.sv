// Remembers for every strip at work that something will be there after a while.
//
// Timing: with set_i in cycle t, ready_o of the strip is high from cycle t + delay_i on, at least 2
// cycles later, up to the cycle of its take_i, in which it may be set again. next_o is what ready_o
// will be in the next cycle if nothing is taken now. due_o is high in the cycle before ready_o
// rises.
module strip_timer
  import hwc_pipe_pkg::*;
#(
    parameter int unsigned DelayMax = 2,
    localparam int unsigned DelayBits = $clog2(DelayMax + 1)
) (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    input  logic                         set_i,
    input  strip_slot_t                  slot_i,
    input  logic         [DelayBits-1:0] delay_i,
    input  strip_slots_t                 take_i,
    output strip_slots_t                 ready_o,
    output strip_slots_t                 next_o,
    output strip_slots_t                 due_o
);

  typedef logic [DelayBits-1:0] delay_t;

  strip_slots_t set, waiting_d, waiting_q;
  delay_t [StripSlots-1:0] left, left_d, left_q;
  strip_slots_t none_left_d, none_left_q, one_left_d, one_left_q;  // of left_q

  always_comb begin
    set = set_i ? slot_mask(slot_i) : '0;
    waiting_d = (waiting_q & ~take_i) | set;
    for (int unsigned i = 0; i < StripSlots; i++) begin
      left[i] = set[i] ? delay_i : left_q[i];
      left_d[i] = left[i] == '0 ? '0 : left[i] - 1'b1;
      none_left_d[i] = left[i] <= delay_t'(1);
      one_left_d[i] = left[i] == delay_t'(2);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) waiting_q <= '0;
    else waiting_q <= waiting_d;
  end

  always_ff @(posedge clk_i) begin
    left_q      <= left_d;
    none_left_q <= none_left_d;
    one_left_q  <= one_left_d;
  end

  assign ready_o = waiting_q & none_left_q;
  assign next_o = waiting_q & ~set & (none_left_q | one_left_q);
  assign due_o = waiting_q & one_left_q;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      assert (!set_i || delay_i >= delay_t'(2))
      else $error("a delay of %0d, expected 2 or more", delay_i);
      assert ((set & waiting_q & ~take_i) == '0)
      else $error("set again before it was taken");
      assert ((take_i & ~waiting_q) == '0)
      else $error("taken before it was set");
    end
  end
`endif

endmodule
