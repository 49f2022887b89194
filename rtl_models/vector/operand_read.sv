// Reads the operands of a port's beats: asks for rows of registers and of landing buffers before
// the beat, and chooses among the rows that come.
//
// Timing: the rows that a beat of cycle t reads are asked for in cycle t - 1, when it is not known
// yet whether there will be a beat. They come in cycle t. The beat's operands are on operands_o in
// cycle t + 1, with valid_o, from registers.
module operand_read
  import hwc_target_pkg::*;
  import hwc_stream_pkg::*;
  import hwc_pipe_pkg::*;
#(
    parameter int unsigned Operands = Sources
) (
    input  logic                                clk_i,
    input  logic                                rst_ni,
    // verilator lint_off UNUSEDSIGNAL
    input  next_rows_t                          next_rows_i,  // of operands that the port has not
    // verilator lint_on UNUSEDSIGNAL
    input  logic                                beat_i,
    // verilator lint_off UNUSEDSIGNAL
    input  port_beat_t                          data_i,       // not where the result goes
    // verilator lint_on UNUSEDSIGNAL
    output landing_row_t                        landing_address_o,
    input  row_t            [InputStreams-1:0]  landing_row_i,
    output logic            [    Operands-1:0]  vector_read_o,
    output logic            [    Operands-1:0]  result_read_o,
    output register_index_t [    Operands-1:0]  register_o,
    output strip_row_t      [    Operands-1:0]  row_o,
    input  row_t            [    Operands-1:0]  vector_row_i,
    input  row_t            [    Operands-1:0]  result_row_i,
    output logic                                valid_o,
    output operand_beat_t                       beat_o,
    output row_t            [    Operands-1:0]  operands_o
);

  operand_beat_t beat;
  row_t [Operands-1:0] operands_d, operands_q;

  always_comb begin
    for (int unsigned i = 0; i < Operands; i++) begin
      vector_read_o[i] = next_rows_i.origins[i].vector;
      result_read_o[i] = next_rows_i.origins[i].result;
      register_o[i] = next_rows_i.registers[i];
      row_o[i] = next_rows_i.row;
    end
    landing_address_o = {next_rows_i.slot, next_rows_i.row};
    beat = '{
        op: data_i.operation.op,
        form: hwc_vector_pkg::fused_form(data_i.operation.op),
        unit: data_i.operation.unit,
        part: data_i.part
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
        .vector_i        (vector_row_i[i]),
        .result_i        (result_row_i[i]),
        .from_stream_i   (data_i.operation.origins[i].streams),
        .streams_i       (landing_row_i),
        .from_immediate_i(data_i.operation.origins[i].immediate),
        .immediate_i     (data_i.operation.immediate),
        .row_o           (operands_d[i])
    );
  end

  always_ff @(posedge clk_i) begin
    operands_q <= operands_d;
  end

  assign operands_o = operands_q;

`ifndef SYNTHESIS
  next_rows_t asked_q, needed;

  assign needed = '{
    origins: data_i.operation.origins,
    registers: data_i.operation.source_registers,
    slot: data_i.operation.slot,
    row: data_i.row
  };

  always_ff @(posedge clk_i) begin
    asked_q <= next_rows_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      for (int unsigned i = 0; i < Sources; i++) begin
        if (beat_i && data_i.operation.used[i]) begin
          assert (i < Operands)
          else $error("an instruction with more operands than the port reads");
          assert (asked_q == needed) else $error("a beat reads rows that nobody has asked for");
        end
      end
    end
  end
`endif

endmodule
