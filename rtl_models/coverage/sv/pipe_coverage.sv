// Functional coverage of bodies: instructions with the kinds of their operands and of their
// destination, units that follow each other on a port, phases and copies, values of lane 0. Bound
// to `vector_pipe`.
module pipe_coverage
  import hwc_isa_pkg::*;
  import hwc_stream_pkg::*;
  import hwc_core_pkg::*;
  import hwc_pipe_pkg::*;
  import coverage_pkg::*;
(
    input logic                              clk_i,
    input logic                              rst_ni,
    input logic                              kernel_start_i,
    input kernel_t                           kernel_i,
    input pipe_counts_t                      counts_o,
    input body_operation_t                   lane_operation,
    input body_operation_t                   special_operation,
    input logic                              lane_operands_valid,
    input logic                              special_operands_valid,
    input operand_beat_t                     lane_operands,
    input operand_beat_t                     special_operands,
    input row_t          [       Sources-1:0] lane_operand,
    input row_t          [SpecialSources-1:0] special_operand
);

  body_operation_t previous[PipePorts];
  logic [Sources-1:0] lane_used, special_used;  // by the beat whose operands are being read
  string dependence;

  function automatic string origin_kind(origin_t origin);
    if (origin.immediate) return "immediate";
    if (origin.vector) return "vector";
    return origin.result ? "result" : "input";
  endfunction

  function automatic logic reads(body_operation_t operation, int unsigned operand,
                                 body_operation_t writer);
    origin_t origin;
    origin = operation.origins[operand];
    return (origin.vector && is_vector(writer.destination)
            || origin.result && is_result(writer.destination))
        && operation.source_registers[operand] == writer.destination_register;
  endfunction

  function automatic void begins(int unsigned port, body_operation_t operation);
    for (int unsigned i = 0; i < Sources; i++) begin
      if (operation.used[i]) begin
        hit($sformatf("operand %s %0d %s", operation_name(operation.op), i,
                      origin_kind(operation.origins[i])));
      end
    end
    hit($sformatf("destination %s %s", operation_name(operation.op),
                  operand_kind(operation.destination)));
    if (!previous[port].last) begin
      dependence = "independent";
      for (int unsigned i = 0; i < Sources; i++) begin
        if (operation.used[i] && reads(operation, i, previous[port])) dependence = "dependent";
      end
      hit($sformatf("units %s %s %s", unit_name(previous[port].unit), unit_name(operation.unit),
                    dependence));
    end
    previous[port] = operation;
  endfunction

  function automatic void value(operation_t op, int unsigned number, lane_t lane);
    hit($sformatf("value %s %0d %s", operation_name(op), number, float_class(lane)));
    hit($sformatf("value %s %0d %s", operation_name(op), number, integer_class(lane)));
  endfunction

  initial begin
    for (int unsigned port = 0; port < PipePorts; port++) previous[port].last = 1'b1;
  end

  // Before the reset, registers hold random bits: nothing counts.
  always @(posedge clk_i) if (rst_ni) begin
    lane_used <= lane_operation.used;
    special_used <= special_operation.used;
    if (kernel_start_i) begin
      hit($sformatf("copies %0d phases %0d", kernel_i.body.copies,
                    32'(kernel_i.body.lane_last) + 1 + 32'(kernel_i.body.ends_special)));
      if (kernel_i.body.begins_special) hit("body begins with a special instruction");
      if (kernel_i.body.ends_special) hit("body ends with a special instruction");
    end
    if (counts_o.lane_instruction) begins(0, lane_operation);
    if (counts_o.special_instruction) begins(1, special_operation);
    for (int unsigned i = 0; i < Sources; i++) begin
      if (lane_operands_valid && lane_used[i]) value(lane_operands.op, i, lane_operand[i][0]);
    end
    for (int unsigned i = 0; i < SpecialSources; i++) begin
      if (special_operands_valid && special_used[i]) begin
        value(special_operands.op, i, special_operand[i][0]);
      end
    end
  end

endmodule

bind vector_pipe pipe_coverage u_coverage (.*);
