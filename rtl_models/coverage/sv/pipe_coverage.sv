// Functional coverage of bodies: instructions with the kinds of their operands and of their
// destination, units that follow each other, values of lane 0. Bound to `vector_pipe`.
module pipe_coverage
  import hwc_stream_pkg::*;
  import hwc_pipe_pkg::*;
  import coverage_pkg::*;
(
    input logic                           clk_i,
    input logic                           instruction_o,  // begins
    input logic                           strip_o,        // with it a strip
    input body_operation_t                operation,
    input logic                           operands_valid,
    input operand_beat_t                  operands_q,
    input row_t          [   Sources-1:0] operand
);

  body_operation_t previous;
  logic [Sources-1:0] used;  // by the beat whose operands are being read
  string dependence;

  always @(posedge clk_i) begin
    used <= operation.used;
    if (instruction_o) begin
      for (int unsigned i = 0; i < Sources; i++) begin
        if (operation.used[i]) begin
          hit($sformatf("operand %s %0d %s", operation_name(operation.op), i,
                        operand_kind(operation.sources[i])));
        end
      end
      hit($sformatf("destination %s %s", operation_name(operation.op),
                    operand_kind(operation.destination)));
      if (!strip_o) begin
        dependence = "independent";
        for (int unsigned i = 0; i < Sources; i++) begin
          if (operation.used[i] && operation.sources[i] == previous.destination) begin
            dependence = "dependent";
          end
        end
        hit($sformatf("units %s %s %s", unit_name(previous.unit), unit_name(operation.unit),
                      dependence));
      end
      previous = operation;
    end
    if (operands_valid) begin
      for (int unsigned i = 0; i < Sources; i++) begin
        if (used[i]) begin
          hit($sformatf("value %s %0d %s", operation_name(operands_q.op), i,
                        float_class(operand[i][0])));
          hit($sformatf("value %s %0d %s", operation_name(operands_q.op), i,
                        integer_class(operand[i][0])));
        end
      end
    end
  end

endmodule

bind vector_pipe pipe_coverage u_coverage (.*);
