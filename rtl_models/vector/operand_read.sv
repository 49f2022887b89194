// Reads the operands of a port's beats: asks for rows of registers and of landing buffers, and
// chooses among the rows that come.
//
// Timing: the operands of the beat of cycle t are on operands_o in cycle t + 1, with valid_o. Rows
// asked for in cycle t come in cycle t + 1.
module operand_read
  import hwc_isa_pkg::*;
  import hwc_target_pkg::*;
  import hwc_stream_pkg::*;
  import hwc_core_pkg::*;
  import hwc_pipe_pkg::*;
#(
    parameter int unsigned Operands = Sources
) (
    input  logic                                clk_i,
    input  logic                                rst_ni,
    input  logic                                beat_i,
    // verilator lint_off UNUSEDSIGNAL
    input  port_beat_t                          data_i,  // not where the result goes
    // verilator lint_on UNUSEDSIGNAL
    output logic            [InputStreams-1:0]  landing_read_o,
    output landing_row_t                        landing_address_o,
    input  row_t            [InputStreams-1:0]  landing_row_i,
    output logic            [    Operands-1:0]  vector_read_o,
    output logic            [    Operands-1:0]  result_read_o,
    output register_index_t [    Operands-1:0]  register_o,
    output strip_row_t      [    Operands-1:0]  row_o,
    input  row_t            [    Operands-1:0]  vector_row_i,
    input  row_t            [    Operands-1:0]  result_row_i,
    output logic                                valid_o,
    // verilator lint_off UNUSEDSIGNAL
    output operand_beat_t                       beat_o,  // its sources have been read
    // verilator lint_on UNUSEDSIGNAL
    output row_t            [    Operands-1:0]  operands_o
);

  operand_beat_t beat;

  always_comb begin
    landing_read_o = '0;
    for (int unsigned i = 0; i < Operands; i++) begin
      vector_read_o[i] = beat_i && data_i.operation.used[i]
          && is_vector(data_i.operation.sources[i]);
      result_read_o[i] = beat_i && data_i.operation.used[i]
          && is_result(data_i.operation.sources[i]);
      register_o[i] = data_i.operation.source_registers[i];
      row_o[i] = data_i.row;
      for (int unsigned s = 0; s < InputStreams; s++) begin
        if (beat_i && data_i.operation.used[i]
            && data_i.operation.sources[i] == InputFirst + operand_t'(s)) begin
          landing_read_o[s] = 1'b1;
        end
      end
    end
    landing_address_o = {data_i.operation.slot, data_i.row};
    beat = '{
        op: data_i.operation.op,
        unit: data_i.operation.unit,
        part: data_i.part,
        sources: data_i.operation.sources,
        immediate: data_i.operation.immediate
    };
  end

  delay_line #(
      .data_t(operand_beat_t)
  ) u_beat (
      .clk_i,
      .rst_ni,
      .valid_i(beat_i),
      .data_i (beat),
      .valid_o,
      .data_o (beat_o)
  );

  for (genvar i = 0; i < Operands; i++) begin : gen_operands
    operand_select u_select (
        .source_i   (beat_o.sources[i]),
        .vector_i   (vector_row_i[i]),
        .result_i   (result_row_i[i]),
        .streams_i  (landing_row_i),
        .immediate_i(beat_o.immediate),
        .row_o      (operands_o[i])
    );
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      for (int unsigned i = Operands; i < Sources; i++) begin
        assert (!(beat_i && data_i.operation.used[i]))
        else $error("an instruction with more operands than the port reads");
      end
    end
  end
`endif

endmodule
