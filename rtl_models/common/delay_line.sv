// Delays data with its valid bit by `Stages` cycles; 0 stages are wires, and many are a memory.
//
// Timing: valid_o and data_o repeat valid_i and data_i of `Stages` cycles before. Data registers
// have no reset and no enable: data_o means nothing while valid_o is low.
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

  // From so many stages on, data wait in a memory, and nothing but its addresses moves.
  localparam int unsigned MemoryStages = 16;

  if (Stages == 0) begin : gen_wires
    logic unused_clk, unused_rst;
    assign unused_clk = clk_i;
    assign unused_rst = rst_ni;
    assign valid_o = valid_i;
    assign data_o = data_i;
  end else begin : gen_registers
    logic [Stages-1:0] valid_d, valid_q;

    if (Stages == 1) begin : gen_valid
      assign valid_d = valid_i;
    end else begin : gen_valids
      assign valid_d = {valid_q[Stages-2:0], valid_i};
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) valid_q <= '0;
      else valid_q <= valid_d;
    end

    assign valid_o = valid_q[Stages-1];

    if (Stages < MemoryStages) begin : gen_data
      data_t [Stages-1:0] data_q;

      always_ff @(posedge clk_i) begin
        data_q[0] <= data_i;
        for (int unsigned i = 1; i < Stages; i++) data_q[i] <= data_q[i-1];
      end

      assign data_o = data_q[Stages-1];
    end else begin : gen_memory
      // A word is read Distance cycles after it was written. The last stage is a register, since a
      // memory is slow.
      localparam int unsigned Distance = Stages - 2;
      typedef logic [$clog2(Distance+1)-1:0] address_t;

      address_t write_address_q, read_address_q;
      data_t word, data_q;

      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) begin
          write_address_q <= '0;
          read_address_q  <= -address_t'(Distance);
        end else begin
          write_address_q <= write_address_q + 1'b1;
          read_address_q  <= read_address_q + 1'b1;
        end
      end

      ram_1w1r #(
          .Words      (2 ** $bits(address_t)),
          .GranuleBits($bits(data_t))
      ) u_words (
          .clk_i,
          .write_i        (valid_i),
          .write_address_i(write_address_q),
          .write_data_i   (data_i),
          .read_i         (valid_q[Distance-1]),
          .read_address_i (read_address_q),
          .read_data_o    (word)
      );

      always_ff @(posedge clk_i) data_q <= word;

      assign data_o = data_q;
    end
  end

endmodule
