// Queue of `Depth` entries in order.
//
// Timing: what is pushed in cycle t can be seen from cycle t + 1 on. ready_o is low while the queue
// is full, valid_o while it is empty, both from a register; data_o is the oldest entry.
module fifo #(
    parameter type data_t = logic,
    parameter int unsigned Depth = 2
) (
    input  logic  clk_i,
    input  logic  rst_ni,
    input  logic  valid_i,
    output logic  ready_o,
    input  data_t data_i,
    output logic  valid_o,
    input  logic  ready_i,
    output data_t data_o
);

  if (Depth < 1) begin : gen_depth_check
    $error("fifo needs a Depth of at least 1, got %0d", Depth);
  end

  localparam int unsigned IndexBits = Depth > 1 ? $clog2(Depth) : 1;
  localparam int unsigned CountBits = $clog2(Depth + 1);
  typedef logic [IndexBits-1:0] index_t;
  typedef logic [CountBits-1:0] count_t;

  data_t entries_q[Depth];
  index_t write_d, write_q, read_d, read_q;
  count_t count_d, count_q;
  logic some_d, some_q, full_d, full_q;
  logic push, pop;

  function automatic index_t after(index_t index);
    return index == index_t'(Depth - 1) ? '0 : index + 1'b1;
  endfunction

  always_comb begin
    push = valid_i && ready_o;
    pop = valid_o && ready_i;
    write_d = push ? after(write_q) : write_q;
    read_d = pop ? after(read_q) : read_q;
    count_d = count_q + count_t'(push) - count_t'(pop);
    // They do not wait for the count.
    some_d = push || (some_q && !(pop && count_q == count_t'(1)));
    full_d = !pop && (full_q || (push && count_q == count_t'(Depth - 1)));
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q  <= '0;
      count_q <= '0;
      some_q  <= 1'b0;
      full_q  <= 1'b0;
    end else begin
      write_q <= write_d;
      read_q  <= read_d;
      count_q <= count_d;
      some_q  <= some_d;
      full_q  <= full_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (push) entries_q[write_q] <= data_i;
  end

  assign ready_o = !full_q;
  assign valid_o = some_q;
  assign data_o = entries_q[read_q];

endmodule
