// Delays data with its valid bit by `Stages` cycles; 0 stages are wires.
//
// Timing: valid_o and data_o repeat valid_i and data_i of `Stages` cycles before. Data registers
// move only with a valid bit and are not reset: data_o means nothing while valid_o is low.
module delay_line #(
    parameter type data_t = logic,
    parameter int unsigned Stages = 1
) (
    input  logic  clk_i,
    input  logic  rst_ni,
    input  logic  valid_i,
    input  data_t data_i,
    output logic  valid_o,
    output data_t data_o
);

  if (Stages == 0) begin : gen_wires
    logic unused_clk, unused_rst;
    assign unused_clk = clk_i;
    assign unused_rst = rst_ni;
    assign valid_o = valid_i;
    assign data_o = data_i;
  end else begin : gen_registers
    logic [Stages-1:0] valid_d, valid_q;
    data_t [Stages-1:0] data_d, data_q;

    always_comb begin
      valid_d[0] = valid_i;
      data_d[0]  = data_i;
      for (int unsigned i = 1; i < Stages; i++) begin
        valid_d[i] = valid_q[i-1];
        data_d[i]  = data_q[i-1];
      end
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) valid_q <= '0;
      else valid_q <= valid_d;
    end

    always_ff @(posedge clk_i) begin
      for (int unsigned i = 0; i < Stages; i++) begin
        if (valid_d[i]) data_q[i] <= data_d[i];
      end
    end

    assign valid_o = valid_q[Stages-1];
    assign data_o = data_q[Stages-1];
  end

endmodule
