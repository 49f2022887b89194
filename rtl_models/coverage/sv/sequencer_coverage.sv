// Functional coverage of a dispatch: starts, faults with their cause, stream and dimension, errors
// on the bus, resets. Bound to `sequencer`.
module sequencer_coverage
  import hwc_isa_pkg::*;
  import hwc_stream_pkg::*;
  import hwc_core_pkg::*;
  import coverage_pkg::*;
(
    input logic                             clk_i,
    input logic                             rst_ni,
    input logic                             start_i,
    input status_e                          status_o,
    input logic                             axi_error_q,
    // State.
    input logic                             in_load_i,
    input logic                             in_words_i,
    input logic                             in_body_i,
    input logic                             in_setup_i,
    input logic                             in_kernel_i,
    input logic                             setup_ends_i,
    // The word in hand and what is wrong with it.
    input logic                             valid,
    input logic                             past_end,
    input decoded_t                         decoded,
    input logic                             body_faulty,
    input fault_e                           body_fault,
    input stream_set_t                      configured,
    input rank_t       [       Streams-1:0] ranks,
    input names_t                           written_i,    // in the body
    input logic                             no_share_i,
    input logic                             no_phase_i,
    input logic                             read_in_phase_i,
    input logic                             table_used_i,
    input logic                             word_bad,
    input logic                             stop,
    input logic                             cancel,
    input fault_t                           why,
    input fault_t                           shape_fault,
    input size_t                            points
);

  string late;  // the fault of the body
  base_word_t base;
  size_word_t size;
  vector_word_t vector;

  assign base = decoded.word;
  assign size = decoded.word;
  assign vector = decoded.word;

  // Why a word outside of a loop is `bad_structure`.
  function automatic string word_cause();
    if (past_end) return "past end";
    unique case (decoded.info.op.operation)
      OperationBase: return "second base";
      OperationSize: begin
        if (!configured[decoded.stream]) return "size without base";
        return size.dim >= dimension_t'(ranks[decoded.stream]) ? "size beyond rank"
                                                               : "size given twice";
      end
      OperationLoop: return (configured & ~AllInputs) == '0 ? "no output" : "size missing";
      OperationEnd: return "end outside of a loop";
      default: return "vector outside of a loop";
    endcase
  endfunction

  function automatic string source_cause(operand_t code);
    names_t names;
    names = names_of(code);
    if ((names.vectors & ~written_i.vectors) != '0) return "register not written";
    if ((names.results & ~written_i.results) != '0) return "register not written";
    if ((names.streams & ~configured) != '0) return "input without base";
    return "";
  endfunction

  // The same of a word in a body.
  function automatic string body_cause();
    string cause;
    if (past_end) return "past end in a body";
    if (decoded.info.op.operation == OperationEnd) return "output not written";
    if (decoded.info.word_format != FormatVector) return "control in a body";
    if (is_output(vector.dst)) begin
      if (!configured[number_of(vector.dst)]) return "output without base";
      if (written_i.streams[number_of(vector.dst)]) return "output written twice";
    end
    if (no_share_i) return "register beyond its share";
    if (no_phase_i) return "more phases than copies";
    if (read_in_phase_i) return "result read in its own phase";
    if (table_used_i) return "table filled beside another use";
    cause = source_cause(vector.a);
    if (cause == "" && decoded.info.sources > 2'd1) cause = source_cause(vector.b);
    if (cause == "" && decoded.info.sources > 2'd2) cause = source_cause(vector.c);
    return cause;
  endfunction

  // Before the reset, registers hold random bits: nothing counts.
  always @(posedge clk_i) if (rst_ni) begin
    if (start_i) begin
      hit($sformatf("start %s%s", status_o.name(), axi_error_q ? " error" : ""));
    end
    if (in_body_i && valid && body_faulty) begin
      late = $sformatf("%s body %s", body_fault.name(),
                       past_end ? "none" : instruction_name(decoded.info));
      if (body_fault == FaultBadStructure) hit({"structure ", body_cause()});
    end
    if (stop && in_load_i && why.code == FaultNone) hit("error load");
    if (cancel) hit("error kernel");
    if (stop && why.code != FaultNone) begin
      if (in_load_i) hit($sformatf("fault %s start", why.code.name()));
      if (in_words_i) begin
        hit($sformatf("fault %s word %s", why.code.name(),
                      past_end ? "none" : instruction_name(decoded.info)));
        if (why.code == FaultBadStructure) hit({"structure ", word_cause()});
      end
      if (in_setup_i && shape_fault.code != FaultNone) begin
        hit($sformatf("fault %s shape %s", why.code.name(),
                      why.stream == '0 ? "none" : operand_kind(why.stream)));
        if (why.code inside {FaultShapeMismatch, FaultOutputShape}) begin
          hit($sformatf("dimension %s %0d", why.code.name(), why.dimension));
        end
      end
      if (in_setup_i && shape_fault.code == FaultNone) hit({"fault ", late});
    end
    if (setup_ends_i && !stop && points == '0) hit("kernel without points");
    if (in_words_i && valid && !word_bad) begin
      hit($sformatf("word %s", instruction_name(decoded.info)));
      if (decoded.info.op.operation == OperationBase) begin
        hit($sformatf("base %s %s rank %0d", operand_kind(base.stream),
                      type_name(type_e'(base.element_type)), base.rank));
      end
      if (decoded.info.op.operation == OperationSize) begin
        hit($sformatf("size %s", size.from_param ? "parameter" : "immediate"));
      end
    end
  end

  always @(negedge rst_ni) begin
    if (in_load_i) hit("reset load");
    if (in_words_i) hit("reset words");
    if (in_body_i) hit("reset body");
    if (in_setup_i) hit("reset setup");
    if (in_kernel_i) hit("reset kernel");
  end

endmodule

// A name that the module has not would be a wire without a driver.
`default_nettype none

bind sequencer sequencer_coverage u_coverage (
    .ranks       (u_streams.u_table.ranks_q),
    .in_load_i   (state_q == Load),
    .in_words_i  (state_q == Words),
    .in_body_i   (setup_take),
    .in_setup_i  (state_q == Setup && !setup_take),
    .in_kernel_i (!ends),
    .setup_ends_i(setup_done),
    .body_faulty (u_setup.body_faulty),
    .body_fault  (u_setup.body_fault),
    .written_i   (u_setup.u_body.written_q),
    .no_share_i  (u_setup.u_body.no_share),
    .no_phase_i  (u_setup.u_body.no_phase),
    .read_in_phase_i(u_setup.u_body.read_in_phase),
    .table_used_i(u_setup.u_body.table_used),
    .*
);

`default_nettype wire
