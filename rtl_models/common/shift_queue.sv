// Queue of `Depth` entries in order, whose two oldest entries come from registers, without a
// multiplexer. The others wait in a memory, where nothing moves.
//
// Timing: what is pushed in cycle t can be seen from cycle t + 1 on. some_o says that there is an
// oldest entry; next_o is the one after it, and means nothing if there is none. push_i while the
// queue is full and nothing is taken, or take_i while it is empty, is an error.
module shift_queue #(
    parameter type data_t = logic,
    parameter int unsigned Depth = 3
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

  localparam int unsigned Waiting = Depth - 2;  // entries in the memory

  if (Depth < 3) begin : gen_depth_check
    $error("shift_queue needs a Depth of at least 3, got %0d", Depth);
  end

  typedef logic [(Waiting>1?$clog2(Waiting) : 1)-1:0] index_t;
  typedef logic [$clog2(Waiting+1)-1:0] count_t;

  data_t oldest_q, next_q;
  data_t waiting_q[Waiting];
  index_t write_d, write_q, read_d, read_q;
  count_t count_d, count_q;  // of those that wait
  logic some_d, some_q, two_d, two_q, waits_d, waits_q;  // one or more, two or more, three or more
  logic enter, leave;

  function automatic index_t after(index_t index);
    return index == index_t'(Waiting - 1) ? '0 : index + 1'b1;
  endfunction

  // take_i comes late, and has as few readers as possible: an entry that is pushed is written to
  // the memory and to free registers in any case, and counts where it belongs.
  always_comb begin
    enter = push_i && (waits_q || (two_q && !take_i));
    leave = take_i && waits_q;
    write_d = enter ? after(write_q) : write_q;
    read_d = leave ? after(read_q) : read_q;
    count_d = take_i ? count_q + count_t'(push_i && waits_q) - count_t'(waits_q)
                     : count_q + count_t'(push_i && two_q);
    some_d = push_i || two_q || (some_q && !take_i);
    two_d = waits_q || (two_q && push_i) || (!take_i && (two_q || (some_q && push_i)));
    waits_d = take_i ? waits_q && (push_i || count_q != count_t'(1)) : waits_q || (two_q && push_i);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q  <= '0;
      count_q <= '0;
      some_q  <= 1'b0;
      two_q   <= 1'b0;
      waits_q <= 1'b0;
    end else begin
      write_q <= write_d;
      read_q  <= read_d;
      count_q <= count_d;
      some_q  <= some_d;
      two_q   <= two_d;
      waits_q <= waits_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take_i || !some_q) oldest_q <= two_q ? next_q : data_i;
    if (take_i || !two_q) next_q <= waits_q ? waiting_q[read_q] : data_i;
    if (push_i) waiting_q[write_q] <= data_i;
  end

  assign some_o = some_q;
  assign oldest_o = oldest_q;
  assign next_o = next_q;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      assert (waits_q == (count_q != '0) && (two_q || !waits_q) && (some_q || !two_q))
      else $error("%0d entries wait, and the queue knows of %b", count_q, {some_q, two_q, waits_q});
      if (push_i) assert (take_i || count_q != count_t'(Waiting))
      else $error("a full queue gets an entry");
      if (take_i) assert (some_q)
      else $error("an entry is taken from an empty queue");
    end
  end
`endif

endmodule
