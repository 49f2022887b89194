// Checks a word outside of a loop against the words before it and the packet.
//
// Combinational. A fault of the word itself comes first; then its structure, its
// parameter, its size.
module word_check
  import hwc_isa_pkg::*;
  import hwc_stream_pkg::*;
  import hwc_core_pkg::*;
(
    // verilator lint_off UNUSEDSIGNAL
    input  decoded_t                   decoded_i,       // without what matters in a body
    // verilator lint_on UNUSEDSIGNAL
    input  logic                       past_end_i,      // the pc is after the program
    input  logic        [HostBits-1:0] size_i,          // the size that the word gives
    input  logic        [        31:0] packet_words_i,  // 1 or more
    input  stream_set_t                configured_i,
    input  rank_t       [ Streams-1:0] ranks_i,
    input  dimensions_t [ Streams-1:0] missing_i,
    output fault_t                     fault_o
);

  operation_e operation;
  // verilator lint_off UNUSEDSIGNAL
  base_word_t base;  // without offset and type
  size_word_t size;
  // verilator lint_on UNUSEDSIGNAL
  stream_number_t number, first_incomplete;
  stream_set_t incomplete;
  logic parameter_missing;
  logic [31:0] parameters;

  always_comb begin
    operation = decoded_i.info.op.operation;
    base = decoded_i.word;
    size = decoded_i.word;
    number = number_of(base.stream);  // the same bits in both
    parameters = packet_words_i - 32'd1;
    parameter_missing = (operation == OperationSize ? size.value : 32'(base.param)) >= parameters;

    for (int unsigned i = 0; i < Streams; i++) begin
      incomplete[i] = configured_i[i] && missing_i[i] != '0;
    end
    first_incomplete = first_stream(incomplete);

    fault_o = NoFault;
    if (past_end_i) begin
      fault_o.code = FaultBadStructure;
    end else if (decoded_i.fault != FaultNone) begin
      fault_o.code = decoded_i.fault;
    end else begin
      unique case (operation)
        OperationHalt: fault_o.code = FaultNone;
        OperationBase: begin
          if (configured_i[number]) fault_o.code = FaultBadStructure;
          else if (parameter_missing) fault_o.code = FaultBadParameter;
          if (fault_o.code != FaultNone) fault_o.stream = base.stream;
        end
        OperationSize: begin
          if (!configured_i[number] || size.dim >= dimension_t'(ranks_i[number])
              || !missing_i[number][size.dim]) begin
            fault_o.code = FaultBadStructure;
          end else if (size.from_param && parameter_missing) begin
            fault_o.code = FaultBadParameter;
          end else if (size_i >= HostBits'(1'b1) << SizeBits) begin
            fault_o.code = FaultBadDimension;
          end
          if (fault_o.code != FaultNone) begin
            fault_o.stream = size.stream;
            fault_o.dimension = size.dim;
          end
        end
        OperationLoop: begin
          if ((configured_i & ~AllInputs) == '0) begin
            fault_o.code = FaultBadStructure;
          end else if (incomplete != '0) begin
            fault_o.code = FaultBadStructure;
            fault_o.stream = code_of(first_incomplete);
            for (int unsigned i = RankMax; i > 0; i--) begin
              if (missing_i[first_incomplete][i-1]) fault_o.dimension = dimension_t'(i - 1);
            end
          end
        end
        default: fault_o.code = FaultBadStructure;
      endcase
    end
  end

endmodule
