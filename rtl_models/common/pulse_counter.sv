// Counts events that are yet to be used: +1 for put_i, -1 for take_i; says whether there are some.
//
// Timing: put_i in cycle t counts from cycle t + 1 + Delay on, take_i from cycle t + 1 on. some_o,
// from a register, says that the count is not 0. take_i while the count is 0 is an error.
module pulse_counter #(
    parameter int unsigned Bits = 1,
    parameter int unsigned Initial = 0,
    parameter int unsigned Delay = 0
) (
    input  logic clk_i,
    input  logic rst_ni,
    input  logic put_i,
    input  logic take_i,
    output logic some_o
);

  logic put;

  if (Delay == 0) begin : gen_direct
    assign put = put_i;
  end else begin : gen_delayed
    logic [Delay-1:0] delay_d, delay_q;
    if (Delay == 1) begin : gen_one
      assign delay_d = put_i;
    end else begin : gen_more
      assign delay_d = {delay_q[Delay-2:0], put_i};
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) delay_q <= '0;
      else delay_q <= delay_d;
    end
    assign put = delay_q[Delay-1];
  end

  typedef logic [Bits-1:0] count_t;
  count_t count_d, count_q;
  logic some_d, some_q;

  always_comb begin
    count_d = count_q + count_t'(put) - count_t'(take_i);
    some_d = put || (some_q && !(take_i && count_q == count_t'(1)));  // does not wait for the count
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= count_t'(Initial);
      some_q  <= Initial != 0;
    end else begin
      count_q <= count_d;
      some_q  <= some_d;
    end
  end

  assign some_o = some_q;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      if (take_i) begin
        assert (count_q != '0) else $error("take_i while the count is 0");
      end
    end
  end
`endif

endmodule
