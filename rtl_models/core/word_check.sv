// Checks a word outside of a loop against the words before it and the packet.
//
// Combinational. A fault of the word itself comes first; then its structure, its parameter, its
// size. bad_o says that there is one, and fault_o which; without one it is NoFault for `halt` and
// says nothing for other words.
module word_check
  import hwc_isa_pkg::*;
  import hwc_stream_pkg::*;
  import hwc_core_pkg::*;
(
    // verilator lint_off UNUSEDSIGNAL
    input  decoded_t                   decoded_i,       // without what matters in a body
    // verilator lint_on UNUSEDSIGNAL
    input  logic                       past_end_i,      // the pc is after the program
    input  logic                       no_parameter_i,  // the packet has not what its index names
    input  logic        [HostBits-1:0] size_i,          // the size that the word gives
    input  stream_set_t                configured_i,
    input  dimensions_t [ Streams-1:0] missing_i,
    input  stream_set_t                incomplete_i,    // streams of which something is missing
    output logic                       bad_o,
    output fault_t                     fault_o
);

  // verilator lint_off UNUSEDSIGNAL
  base_word_t base;  // without offset and type
  size_word_t size;
  // verilator lint_on UNUSEDSIGNAL
  stream_number_t first_incomplete;
  stream_set_t missing;  // the word's dimension
  logic bad_base, bad_size, bad_structure, bad_parameter, bad_dimension, no_output;
  logic misplaced;  // it belongs in a body

  always_comb begin
    base = decoded_i.word;
    size = decoded_i.word;
    for (int unsigned i = 0; i < Streams; i++) begin
      missing[i] = (dimension_set_t'(missing_i[i]) & decoded_i.dimension_set) != '0;
    end
    first_incomplete = first_stream(incomplete_i);

    bad_base = (configured_i & decoded_i.stream_set) != '0;
    // Nothing is missing of a stream without a base, and no dimension beyond its rank.
    bad_size = (missing & decoded_i.stream_set) == '0;
    no_output = (configured_i & ~AllInputs) == '0;
    misplaced = !decoded_i.halts && !decoded_i.sets_base && !decoded_i.sets_size
        && !decoded_i.begins_body;
    bad_structure = misplaced || (decoded_i.sets_base && bad_base)
        || (decoded_i.sets_size && bad_size)
        || (decoded_i.begins_body && (no_output || incomplete_i != '0));
    bad_parameter = no_parameter_i
        && (decoded_i.sets_base || (decoded_i.sets_size && size.from_param));
    bad_dimension = decoded_i.sets_size && size_i >> SizeBits != '0;
    bad_o = past_end_i || decoded_i.faulty || bad_structure || bad_parameter || bad_dimension;
  end

  always_comb begin
    fault_o = NoFault;
    if (past_end_i) begin
      fault_o.code = FaultBadStructure;
    end else if (decoded_i.faulty) begin
      fault_o.code = decoded_i.fault;
    end else if (!decoded_i.halts) begin
      fault_o.code = FaultBadDimension;
      if (bad_parameter) fault_o.code = FaultBadParameter;
      if (bad_structure) fault_o.code = FaultBadStructure;
      if (decoded_i.sets_base) begin
        fault_o.stream = base.stream;
      end else if (decoded_i.sets_size) begin
        fault_o.stream = size.stream;
        fault_o.dimension = size.dim;
      end else if (decoded_i.begins_body && !no_output) begin
        fault_o.stream = code_of(first_incomplete);
        for (int unsigned i = RankMax; i > 0; i--) begin
          if (missing_i[first_incomplete][i-1]) fault_o.dimension = dimension_t'(i - 1);
        end
      end
    end
  end

endmodule
