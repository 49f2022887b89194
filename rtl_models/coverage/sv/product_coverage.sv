// Functional coverage of rounded shifts: how far they shift, and values half-way between two
// results. Bound to `int_mul`.
module product_coverage
  import hwc_isa_pkg::*;
  import hwc_vector_pkg::*;
  import coverage_pkg::*;
(
    input logic      clk_i,
    input logic      rst_ni,
    input logic      valid_i,
    // verilator lint_off UNUSEDSIGNAL
    input operands_t operands_i  // the shift is six bits of one
    // verilator lint_on UNUSEDSIGNAL
);

  longint     value, rest;
  logic [5:0] shift;
  string      name;

  // Before the reset, registers hold random bits: nothing counts.
  always @(posedge clk_i) if (rst_ni && valid_i) begin
    if (operands_i.op.operation inside {OperationMulsh, OperationMulshd, OperationShrw}) begin
      name = operands_i.op.operation.name();
      shift = operands_i.c[5:0];
      value = longint'(signed'(operands_i.a)) * longint'(signed'(operands_i.b));
      if (operands_i.op.operation == OperationShrw) value = {operands_i.a, operands_i.b};
      rest = value & ((longint'(1) << shift) - 1);
      hit({"shift ", name, shift == '0 ? " none" : shift < 6'd32 ? " short" : " long"});
      if (shift != '0 && rest == longint'(1) << (shift - 1)) begin
        hit({"half ", name, value < 0 ? " below 0" : " above 0"});
      end
    end
  end

endmodule

bind int_mul product_coverage u_coverage (.*);
