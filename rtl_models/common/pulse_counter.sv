// Counts events that are yet to be used: +1 for put_i, -1 for take_i.
//
// Timing: put_i in cycle t counts in count_o from cycle t + 1 + Delay on, take_i from cycle t + 1
// on. clear_i sets the count to Initial and forgets events on their way. take_i while the count is
// 0 is an error.
module pulse_counter #(
    parameter int unsigned Bits = 1,
    parameter int unsigned Initial = 0,
    parameter int unsigned Delay = 0
) (
    input  logic            clk_i,
    input  logic            rst_ni,
    input  logic            clear_i,
    input  logic            put_i,
    input  logic            take_i,
    output logic [Bits-1:0] count_o
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
      else delay_q <= clear_i ? '0 : delay_d;
    end
    assign put = delay_q[Delay-1];
  end

  logic [Bits-1:0] count_d, count_q;

  always_comb begin
    count_d = count_q + Bits'(put) - Bits'(take_i);
    if (clear_i) count_d = Bits'(Initial);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) count_q <= Bits'(Initial);
    else count_q <= count_d;
  end

  assign count_o = count_q;

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
