// The vector pipe: runs the body of a kernel on every strip, from landing to result buffers.
//
// kernel_start_i, at least 4 cycles before go_i, says that kernel_i and used_i (input streams of
// the kernel) hold, until all strips are stored. Strip s has landing and result buffer s modulo
// their number. Timing: see vector_issue for the strips. The landing rows asked for in cycle t are
// on landing_row_i in cycle t + 1; pop_o is high in the last cycle of a strip's use of its landing
// buffers. The rows of a beat of cycle t are asked for in cycle t - 1. It has its operands in cycle
// t + 1, passes its unit and is written in cycle t + latency - 1, past the memory if it is asked
// for then, and may be used from cycle t + latency on: MachineLane for a lane instruction,
// MachineSpecial for a special one. strip_result_o is high in the cycle before the strip's results
// count as complete, latency cycles after the last beat of the ports.
//
// Lane instructions write vector registers, special ones result registers, and an output stream has
// one instruction that writes it: every memory has one writer.
module vector_pipe
  import hwc_isa_pkg::*;
  import hwc_target_pkg::*;
  import hwc_stream_pkg::*;
  import hwc_core_pkg::*;
  import hwc_pipe_pkg::*;
(
    input  logic                                  clk_i,
    input  logic                                  rst_ni,
    // Sequencer. A program begins with an empty table: clear_i. Both ports, lanes and special
    // functions, read the body.
    input  logic                                  clear_i,
    input  logic                                  kernel_start_i,
    input  logic                                  go_i,
    input  kernel_t                               kernel_i,
    input  logic              [ InputStreams-1:0] used_i,
    output logic              [    PipePorts-1:0] body_read_o,
    output pc_t               [    PipePorts-1:0] body_pc_o,
    input  instruction_word_t [    PipePorts-1:0] body_word_i,
    // Landing buffers.
    input  logic              [ InputStreams-1:0] strip_due_i,
    output logic              [ InputStreams-1:0] strip_begin_o,
    output landing_row_t      [    PipePorts-1:0] landing_address_o,
    input  row_t              [ InputStreams-1:0][PipePorts-1:0] landing_row_i,
    output logic              [ InputStreams-1:0] pop_o,
    // Result buffers and store engine.
    output logic              [OutputStreams-1:0][Lanes-1:0] result_write_o,
    output store_row_t        [OutputStreams-1:0] result_address_o,
    output row_t              [OutputStreams-1:0] result_row_o,
    output logic                                  strip_result_o,
    input  logic                                  strip_stored_i,
    output pipe_counts_t                          counts_o
);

  if (StripSlots != MachineLandingStrips || StripSlots != MachineStoreStrips) begin : gen_slots
    $error("%0d strips at work need as many landing and result buffers", StripSlots);
  end

  // Issue.
  logic lane_valid, lane_take, lane_beat, special_valid, special_take, special_beat, strip_end;
  body_operation_t lane_operation, lane_next, special_operation, special_next;
  port_beat_t lane_data, special_data;
  next_rows_t lane_next_rows, special_next_rows;

  body_fetch #(
      .Special(1'b0)
  ) u_lane_fetch (
      .clk_i,
      .rst_ni,
      .kernel_start_i,
      .kernel_i,
      .body_read_o(body_read_o[0]),
      .body_pc_o  (body_pc_o[0]),
      .body_word_i(body_word_i[0]),
      .valid_o    (lane_valid),
      .operation_o(lane_operation),
      .next_o     (lane_next),
      .take_i     (lane_take)
  );

  body_fetch #(
      .Special(1'b1)
  ) u_special_fetch (
      .clk_i,
      .rst_ni,
      .kernel_start_i,
      .kernel_i,
      .body_read_o(body_read_o[1]),
      .body_pc_o  (body_pc_o[1]),
      .body_word_i(body_word_i[1]),
      .valid_o    (special_valid),
      .operation_o(special_operation),
      .next_o     (special_next),
      .take_i     (special_take)
  );

  vector_issue u_issue (
      .clk_i,
      .rst_ni,
      .kernel_start_i,
      .go_i,
      .kernel_i,
      .lane_valid_i       (lane_valid),
      .lane_operation_i   (lane_operation),
      .lane_next_i        (lane_next),
      .lane_take_o        (lane_take),
      .special_valid_i    (special_valid),
      .special_operation_i(special_operation),
      .special_next_i     (special_next),
      .special_take_o     (special_take),
      .inputs_due_i       ((strip_due_i | ~used_i) == '1),
      .strip_stored_i,
      .lane_beat_o        (lane_beat),
      .lane_data_o        (lane_data),
      .lane_next_rows_o   (lane_next_rows),
      .special_beat_o     (special_beat),
      .special_data_o     (special_data),
      .special_next_rows_o(special_next_rows),
      .strip_end_o        (strip_end),
      .counts_o
  );

  assign strip_begin_o = counts_o.strip ? used_i : '0;
  assign pop_o = strip_end ? used_i : '0;

  // Operands: those of the lanes come first.
  logic [ReadOperands-1:0] vector_read, result_read;
  register_index_t [ReadOperands-1:0] read_register;
  strip_row_t [ReadOperands-1:0] read_row;
  row_t [ReadOperands-1:0] vector_row, result_row;
  row_t [PipePorts-1:0][InputStreams-1:0] landing_row;
  logic lane_operands_valid, special_operands_valid;
  // verilator lint_off UNUSEDSIGNAL
  operand_beat_t lane_operands, special_operands;  // a beat of the lanes is no part of a row
  // verilator lint_on UNUSEDSIGNAL
  row_t [Sources-1:0] lane_operand;
  row_t [SpecialSources-1:0] special_operand;

  always_comb begin
    for (int unsigned i = 0; i < InputStreams; i++) begin
      for (int unsigned port = 0; port < PipePorts; port++) begin
        landing_row[port][i] = landing_row_i[i][port];
      end
    end
  end

  operand_read #(
      .Operands(Sources)
  ) u_lane_operands (
      .clk_i,
      .rst_ni,
      .next_rows_i      (lane_next_rows),
      .beat_i           (lane_beat),
      .data_i           (lane_data),
      .landing_address_o(landing_address_o[0]),
      .landing_row_i    (landing_row[0]),
      .vector_read_o    (vector_read[Sources-1:0]),
      .result_read_o    (result_read[Sources-1:0]),
      .register_o       (read_register[Sources-1:0]),
      .row_o            (read_row[Sources-1:0]),
      .vector_row_i     (vector_row[Sources-1:0]),
      .result_row_i     (result_row[Sources-1:0]),
      .valid_o          (lane_operands_valid),
      .beat_o           (lane_operands),
      .operands_o       (lane_operand)
  );

  operand_read #(
      .Operands(SpecialSources)
  ) u_special_operands (
      .clk_i,
      .rst_ni,
      .next_rows_i      (special_next_rows),
      .beat_i           (special_beat),
      .data_i           (special_data),
      .landing_address_o(landing_address_o[1]),
      .landing_row_i    (landing_row[1]),
      .vector_read_o    (vector_read[ReadOperands-1:Sources]),
      .result_read_o    (result_read[ReadOperands-1:Sources]),
      .register_o       (read_register[ReadOperands-1:Sources]),
      .row_o            (read_row[ReadOperands-1:Sources]),
      .vector_row_i     (vector_row[ReadOperands-1:Sources]),
      .result_row_i     (result_row[ReadOperands-1:Sources]),
      .valid_o          (special_operands_valid),
      .beat_o           (special_operands),
      .operands_o       (special_operand)
  );

  // Arithmetic.
  logic lane_result_valid, special_result_valid;
  row_t lane_result;
  part_row_t special_result;

  vector_lanes u_lanes (
      .clk_i,
      .rst_ni,
      .valid_i (lane_operands_valid),
      .unit_i  (lane_operands.unit),
      .op_i    (lane_operands.op),
      .form_i  (lane_operands.form),
      .a_i     (lane_operand[0]),
      .b_i     (lane_operand[1]),
      .c_i     (lane_operand[2]),
      .valid_o (lane_result_valid),
      .result_o(lane_result)
  );

  special_lanes u_special (
      .clk_i,
      .rst_ni,
      .clear_i,
      .kernel_start_i,
      .points_i(kernel_i.points),
      .valid_i (special_operands_valid),
      .unit_i  (special_operands.unit),
      .op_i    (special_operands.op),
      .part_i  (special_operands.part),
      .a_i     (special_operand[0]),
      .b_i     (special_operand[1]),
      .valid_o (special_result_valid),
      .result_o(special_result)
  );

  // Where the results go.
  logic lane_written, special_written;
  // verilator lint_off UNUSEDSIGNAL
  result_beat_t lane_target, special_target;  // a beat of the lanes is no part of a row
  // verilator lint_on UNUSEDSIGNAL

  function automatic result_beat_t target_of(port_beat_t beat);
    return '{
        destination: beat.operation.destination,
        index: beat.operation.destination_register,
        slot: beat.operation.slot,
        row: beat.row,
        part: beat.part,
        ends_strip: beat.ends_strip
    };
  endfunction

  delay_line #(
      .data_t(result_beat_t),
      .Stages(MachineLane - 1)
  ) u_lane_targets (
      .clk_i,
      .rst_ni,
      .valid_i(lane_beat),
      .data_i (target_of(lane_data)),
      .valid_o(lane_written),
      .data_o (lane_target)
  );

  delay_line #(
      .data_t(result_beat_t),
      .Stages(MachineSpecial - 1)
  ) u_special_targets (
      .clk_i,
      .rst_ni,
      .valid_i(special_beat),
      .data_i (target_of(special_data)),
      .valid_o(special_written),
      .data_o (special_target)
  );

  logic [Lanes-1:0] special_lanes_written;
  row_t special_row;

  always_comb begin
    // A part of a row goes everywhere, and is written where it belongs.
    special_row = {Parts{special_result}};
    for (int unsigned i = 0; i < Lanes; i++) begin
      special_lanes_written[i] = special_written
          && (Parts == 1 || part_t'(i / SpecialRate) == special_target.part);
    end
    for (int unsigned i = 0; i < OutputStreams; i++) begin
      result_write_o[i] = '0;
      result_address_o[i] = {lane_target.slot, lane_target.row};
      result_row_o[i] = lane_result;
      if (lane_written && lane_target.destination == OutputFirst + operand_t'(i)) begin
        result_write_o[i] = '1;
      end
      if (special_written && special_target.destination == OutputFirst + operand_t'(i)) begin
        result_write_o[i] = special_lanes_written;
        result_address_o[i] = {special_target.slot, special_target.row};
        result_row_o[i] = special_row;
      end
    end
  end

  register_file #(
      .Registers(VectorRegisters)
  ) u_vectors (
      .clk_i,
      .write_i         (lane_written && is_vector(lane_target.destination) ? '1 : '0),
      .write_register_i(lane_target.index),
      .write_row_i     (lane_target.row),
      .write_data_i    (lane_result),
      .read_i          (vector_read),
      .read_register_i (read_register),
      .read_row_i      (read_row),
      .row_o           (vector_row)
  );

  register_file #(
      .Registers(MachineResultRegisters)
  ) u_results (
      .clk_i,
      .write_i         (is_result(special_target.destination) ? special_lanes_written : '0),
      .write_register_i(special_target.index),
      .write_row_i     (special_target.row),
      .write_data_i    (special_row),
      .read_i          (result_read),
      .read_register_i (read_register),
      .read_row_i      (read_row),
      .row_o           (result_row)
  );

  // The results of a strip are complete when the ports that end it are done.
  logic strip_written;

  event_join u_complete (
      .clk_i,
      .rst_ni,
      .needed_i({kernel_i.body.ends_special, kernel_i.body.lanes}),
      .event_i ({special_written && special_target.ends_strip,
                 lane_written && lane_target.ends_strip}),
      .event_o (strip_written)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) strip_result_o <= 1'b0;
    else strip_result_o <= strip_written;
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      assert (lane_result_valid == lane_written && special_result_valid == special_written)
      else $error("a beat ends without a result, or a result without a beat");
      if (lane_written && special_written && is_output(lane_target.destination)) begin
        assert (lane_target.destination != special_target.destination)
        else $error("both ports write an output");
      end
    end
  end
`endif

endmodule
