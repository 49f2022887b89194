// Functional coverage of limited sums: on which side they are limited. Bound to `int_alu`.
module sum_coverage
  import hwc_isa_pkg::*;
  import hwc_vector_pkg::*;
  import coverage_pkg::*;
(
    input logic      clk_i,
    input logic      rst_ni,
    input logic      valid_i,
    // verilator lint_off UNUSEDSIGNAL
    input operands_t operands_i  // without c
    // verilator lint_on UNUSEDSIGNAL
);

  longint sum, least, greatest;

  // Before the reset, registers hold random bits: nothing counts.
  always @(posedge clk_i) if (rst_ni && valid_i) begin
    if (operands_i.op.operation inside {OperationAddsat, OperationAddsatu, OperationSubsat}) begin
      sum = longint'(signed'(operands_i.b));
      if (operands_i.op.operation == OperationSubsat) sum = -sum;
      sum += longint'(signed'(operands_i.a));
      greatest = operands_i.op.element_type == TypeI8 ? 127 : 32767;
      least = -greatest - 1;
      if (operands_i.op.operation == OperationAddsatu) begin
        greatest -= least;
        least = 0;
      end
      hit($sformatf("limited %s %s", operation_name(operands_i.op),
                    sum < least ? "below" : sum > greatest ? "above" : "not"));
    end
  end

endmodule

bind int_alu sum_coverage u_coverage (.*);
