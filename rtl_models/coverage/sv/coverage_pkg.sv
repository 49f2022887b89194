// Functional coverage: counts, by name, what programs make the machine do. The modules *_coverage,
// bound to parts of the machine in builds for coverage, count; machine_coverage writes the counts
// when simulation ends. rtl_models/coverage/bins.py says which names a report expects.
//
// Names are counted instead of written as cover properties because Verilator has no covergroups,
// and its coverage data has a single count for all instances of a property in a generate block.
package coverage_pkg;

  import hwc_isa_pkg::*;
  import hwc_float_pkg::*;

  int unsigned counts[string];

  function automatic void hit(string name);
    if (counts.exists(name)) counts[name] = counts[name] + 1;
    else counts[name] = 1;
  endfunction

  // One line for each name: count, blank, name.
  function automatic void write_counts(string path);
    int file;
    file = $fopen(path, "w");
    if (file == 0) $fatal(1, "cannot open %s", path);
    foreach (counts[name]) $fdisplay(file, "%0d %s", counts[name], name);
    $fclose(file);
  endfunction

  function automatic string operation_name(operation_t op);
    return $sformatf("%s %s %s", op.operation.name(), op.element_type.name(),
                     op.result_type.name());
  endfunction

  function automatic string instruction_name(instruction_t info);
    return info.assigned ? operation_name(info.op) : "unassigned";
  endfunction

  function automatic string type_name(type_e element_type);
    return element_type.name();
  endfunction

  function automatic string unit_name(unit_e unit);
    return unit.name();
  endfunction

  // What a stream or a register is called as an operand.
  function automatic string operand_kind(logic [OperandBits-1:0] code);
    if (is_vector(code)) return "vector";
    if (is_result(code)) return "result";
    if (is_input(code)) return "input";
    if (is_output(code)) return "output";
    return "immediate";
  endfunction

  function automatic string float_class(float_t value);
    string sign;
    sign = value.sign ? "-" : "+";
    if (is_nan(value)) return "nan";
    if (is_infinite(value)) return {sign, "infinite"};
    if (is_zero(value)) return {sign, "zero"};
    return value.exponent == '0 ? {sign, "subnormal"} : {sign, "normal"};
  endfunction

  function automatic string integer_class(logic [31:0] value);
    if (value == '0) return "zero";
    if (value == 32'h8000_0000) return "least";
    if (value == 32'h7fff_ffff) return "greatest";
    return value[31] ? "negative" : "positive";
  endfunction

endpackage
