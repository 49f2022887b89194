// The vector pipe: runs the body of a kernel on every strip, from landing to result buffers.
//
// kernel_start_i, at least 3 cycles before go_i, says that kernel_i and used_i (input streams of
// the kernel) hold, until all strips are stored. Timing: see vector_issue for the strips. The
// landing rows asked for in cycle t are on landing_row_i in cycle t + 1; pop_o is high in the last
// cycle of a strip. A beat of cycle t reads its operands, passes its unit and is written in cycle
// t + latency - 1, and may be used from cycle t + latency on. strip_result_o is high in the cycle
// before the strip's results count as complete, latency cycles after its last beat.
module vector_pipe
  import hwc_isa_pkg::*;
  import hwc_target_pkg::*;
  import hwc_stream_pkg::*;
  import hwc_core_pkg::*;
  import hwc_pipe_pkg::*;
(
    input  logic                                     clk_i,
    input  logic                                     rst_ni,
    // Sequencer.
    input  logic                                     kernel_start_i,
    input  logic                                     go_i,
    input  kernel_t                                  kernel_i,
    input  logic              [ InputStreams-1:0]    used_i,
    output logic                                     body_read_o,
    output pc_t                                      body_pc_o,
    input  instruction_word_t                        body_word_i,
    // Landing buffers.
    input  logic              [ InputStreams-1:0]    strip_valid_i,
    output logic              [ InputStreams-1:0]    landing_read_o,
    output strip_row_t                               landing_address_o,
    input  row_t              [ InputStreams-1:0]    landing_row_i,
    output logic              [ InputStreams-1:0]    pop_o,
    // Result buffers and store engine.
    output logic              [OutputStreams-1:0][Lanes-1:0] result_write_o,
    output store_row_t                               result_address_o,
    output row_t                                     result_row_o,
    output logic                                     strip_result_o,
    input  logic                                     strip_stored_i,
    // Counters.
    output logic                                     strip_o,
    output logic                                     instruction_o,
    output logic                                     busy_o,
    output logic                                     stall_dependence_o,
    output logic                                     stall_input_o,
    output logic                                     stall_output_o
);

  // Issue.
  logic operation_valid, operation_take, beat, last_beat, strip_end;
  body_operation_t operation;
  strip_row_t row;
  part_t part;
  logic [OutputSlotBits-1:0] output_slot;

  body_fetch u_fetch (
      .clk_i,
      .rst_ni,
      .kernel_start_i,
      .kernel_i,
      .body_read_o,
      .body_pc_o,
      .body_word_i,
      .valid_o    (operation_valid),
      .operation_o(operation),
      .take_i     (operation_take)
  );

  vector_issue u_issue (
      .clk_i,
      .rst_ni,
      .go_i,
      .last_points_i    (last_points_of(kernel_i.points)),
      .operation_valid_i(operation_valid),
      .operation_i      (operation),
      .operation_take_o (operation_take),
      .inputs_ready_i   ((strip_valid_i | ~used_i) == '1),
      .strip_stored_i,
      .beat_o           (beat),
      .row_o            (row),
      .part_o           (part),
      .output_slot_o    (output_slot),
      .last_beat_o      (last_beat),
      .strip_end_o      (strip_end),
      .strip_o,
      .instruction_o,
      .stall_dependence_o,
      .stall_input_o,
      .stall_output_o
  );

  assign busy_o = beat;
  assign pop_o = strip_end ? used_i : '0;

  // Operands are asked for in the cycle of the beat, and there in the next.
  logic [Sources-1:0] register_read;
  register_index_t [Sources-1:0] register_index;
  row_t [Sources-1:0] register_row, operand;
  logic operands_valid;
  operand_beat_t operands_d, operands_q;

  always_comb begin
    landing_read_o = '0;
    for (int unsigned i = 0; i < Sources; i++) begin
      register_read[i] = beat && operation.used[i] && is_vector(operation.sources[i]);
      register_index[i] = register_index_t'(operation.sources[i] - VectorFirst);
      for (int unsigned s = 0; s < InputStreams; s++) begin
        if (beat && operation.used[i] && operation.sources[i] == InputFirst + operand_t'(s)) begin
          landing_read_o[s] = 1'b1;
        end
      end
    end
    landing_address_o = row;
    operands_d = '{
        op: operation.op,
        unit: operation.unit,
        part: part,
        sources: operation.sources,
        immediate: operation.immediate
    };
  end

  delay_line #(
      .data_t(operand_beat_t)
  ) u_operands (
      .clk_i,
      .rst_ni,
      .valid_i(beat),
      .data_i (operands_d),
      .valid_o(operands_valid),
      .data_o (operands_q)
  );

  for (genvar i = 0; i < Sources; i++) begin : gen_operands
    operand_select u_select (
        .source_i   (operands_q.sources[i]),
        .register_i (register_row[i]),
        .streams_i  (landing_row_i),
        .immediate_i(operands_q.immediate),
        .row_o      (operand[i])
    );
  end

  // Arithmetic.
  logic result_valid, lanes_valid, special_valid;
  result_beat_t new_result, result;
  row_t lanes_result;
  part_row_t special_result;

  vector_lanes u_lanes (
      .clk_i,
      .rst_ni,
      .valid_i      (operands_valid),
      .unit_i       (operands_q.unit),
      .op_i         (operands_q.op),
      .a_i          (operand[0]),
      .b_i          (operand[1]),
      .c_i          (operand[2]),
      .result_unit_i(result.unit),
      .valid_o      (lanes_valid),
      .result_o     (lanes_result)
  );

  special_lanes u_special (
      .clk_i,
      .rst_ni,
      .valid_i      (operands_valid),
      .unit_i       (operands_q.unit),
      .op_i         (operands_q.op),
      .part_i       (operands_q.part),
      .a_i          (operand[0]),
      .b_i          (operand[1]),
      .result_unit_i(result.unit),
      .valid_o      (special_valid),
      .result_o     (special_result)
  );

  // Results.
  logic special;
  logic [Lanes-1:0] lanes, register_write;
  strip_row_t result_row;

  assign new_result = '{
      unit: operation.unit,
      destination: operation.destination,
      row: {output_slot, row},
      part: part,
      last: last_beat
  };

  result_order u_order (
      .clk_i,
      .rst_ni,
      .valid_i(beat),
      .beat_i (new_result),
      .valid_o(result_valid),
      .beat_o (result)
  );

  always_comb begin
    special = unit_is_special(result.unit);
    // A part of a row goes everywhere, and is written where it belongs.
    result_row_o = special ? {Parts{special_result}} : lanes_result;
    for (int unsigned i = 0; i < Lanes; i++) begin
      lanes[i] = result_valid
          && (!special || Parts == 1 || part_t'(i / SpecialRate) == result.part);
    end
    register_write = is_vector(result.destination) ? lanes : '0;
    for (int unsigned i = 0; i < OutputStreams; i++) begin
      result_write_o[i] = result.destination == OutputFirst + operand_t'(i) ? lanes : '0;
    end
    result_address_o = result.row;
    result_row = result.row[StripRowBits-1:0];
  end

  register_file u_registers (
      .clk_i,
      .write_i         (register_write),
      .write_register_i(register_index_t'(result.destination - VectorFirst)),
      .write_row_i     (result_row),
      .write_data_i    (result_row_o),
      .read_i          (register_read),
      .read_register_i (register_index),
      .read_row_i      (row),
      .row_o           (register_row)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) strip_result_o <= 1'b0;
    else strip_result_o <= result_valid && result.last;
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      if (result_valid) assert (special ? special_valid : lanes_valid)
      else $error("a beat ends without a result");
    end
  end
`endif

endmodule
