// Queue of `Depth` entries in order.
//
// Timing: what is pushed in cycle t can be seen from cycle t + 1 on. ready_o is low while the queue
// is full, valid_o while it is empty; data_o is the oldest entry.
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

  data_t entries_q[Depth];
  index_t write_d, write_q, read_d, read_q;
  logic [CountBits-1:0] count_d, count_q;
  logic push, pop;

  function automatic index_t after(index_t index);
    return index == index_t'(Depth - 1) ? '0 : index + 1'b1;
  endfunction

  always_comb begin
    push = valid_i && ready_o;
    pop = valid_o && ready_i;
    write_d = push ? after(write_q) : write_q;
    read_d = pop ? after(read_q) : read_q;
    count_d = count_q + CountBits'(push) - CountBits'(pop);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q  <= '0;
      count_q <= '0;
    end else begin
      write_q <= write_d;
      read_q  <= read_d;
      count_q <= count_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (push) entries_q[write_q] <= data_i;
  end

  assign ready_o = count_q != CountBits'(Depth);
  assign valid_o = count_q != '0;
  assign data_o = entries_q[read_q];

endmodule
