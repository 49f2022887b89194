// Types of the control side: what the host sets, what the sequencer decodes, how a kernel is handed
// to the engines. Streams are numbered: the inputs first, then the outputs.
package hwc_core_pkg;

  // A design uses a part of a package, and a function may use a part of its arguments.
  // verilator lint_off UNUSEDPARAM
  // verilator lint_off UNUSEDSIGNAL

  import hwc_isa_pkg::*;
  import hwc_target_pkg::*;
  import hwc_stream_pkg::*;
  // This package passes on the description of a configured stream.
  import hwc_descriptor_pkg::*;
  export hwc_descriptor_pkg::HostBits;
  export hwc_descriptor_pkg::RankMax;
  export hwc_descriptor_pkg::operand_t;
  export hwc_descriptor_pkg::dimension_t;
  export hwc_descriptor_pkg::stream_address_t;
  export hwc_descriptor_pkg::stream_base_t;
  export hwc_descriptor_pkg::fault_t;

  localparam int unsigned Streams = InputStreams + OutputStreams;
  localparam int unsigned StreamNumberBits = $clog2(Streams);
  localparam int unsigned WordBytes = WordBits / 8;

  localparam int unsigned WordsPerBusWord = AxiBits / WordBits;
  typedef logic [(WordsPerBusWord > 1 ? $clog2(WordsPerBusWord) : 1)-1:0] word_index_t;

  typedef logic [WordBits-1:0] instruction_word_t;
  typedef logic [HostBits-1:0] parameter_t;
  typedef logic [StreamNumberBits-1:0] stream_number_t;
  typedef logic [Streams-1:0] stream_set_t;
  typedef logic [$clog2(RankMax+1)-1:0] rank_t;
  typedef logic [RankMax-1:0] dimensions_t;  // a bit for each dimension, the outermost is bit 0
  typedef logic [2**$bits(dimension_t)-1:0] dimension_set_t;  // by code: not all are dimensions
  typedef logic [$clog2(InstructionWords+1)-1:0] pc_t;
  typedef logic [$clog2(ParameterWords+1)-1:0] packet_index_t;

  function automatic stream_number_t number_of(operand_t code);
    return is_input(code) ? stream_number_t'(code - InputFirst)
                          : stream_number_t'(code - OutputFirst) + stream_number_t'(InputStreams);
  endfunction

  function automatic logic is_output_number(stream_number_t number);
    return number >= stream_number_t'(InputStreams);
  endfunction

  function automatic operand_t code_of(stream_number_t number);
    return is_output_number(number) ? OutputFirst + operand_t'(number) - operand_t'(InputStreams)
                                    : InputFirst + operand_t'(number);
  endfunction

  // The first stream of a set; 0 if the set is empty.
  function automatic stream_number_t first_stream(stream_set_t streams);
    first_stream = '0;
    for (int unsigned i = Streams; i > 0; i--) begin
      if (streams[i-1]) first_stream = stream_number_t'(i - 1);
    end
  endfunction

  function automatic stream_set_t stream_mask(stream_number_t number);
    return stream_set_t'(1) << number;
  endfunction

  localparam stream_set_t AllInputs = stream_set_t'((1 << InputStreams) - 1);

  // What the host gives at start. Addresses and the window are bytes; sizes are 64-bit words.
  typedef struct packed {
    logic [HostBits-1:0] program_address;
    logic [31:0] program_words;
    logic [HostBits-1:0] packet_address;
    logic [31:0] packet_words;
    logic [HostBits-1:0] window_base;
    logic [HostBits-1:0] window_limit;
  } dispatch_t;

  // The launch queue: what the host pushed, and what it hears of it.
  localparam int unsigned LaunchDepth = 4;
  typedef logic [$clog2(LaunchDepth + 1)-1:0] launch_count_t;
  typedef logic [15:0] tag_t;

  typedef struct packed {
    dispatch_t dispatch;
    logic keeps_counters;  // of the run before
    tag_t tag;
  } launch_t;

  typedef struct packed {
    logic [31:0] count;  // runs that ended since the reset, modulo 2^32
    tag_t tag;           // of the last of them
  } completed_t;

  typedef struct packed {
    logic done;
    logic fault;
    logic empty;
    logic overrun;
    logic aborted;
  } launch_events_t;

  typedef enum logic [2:0] {
    StatusIdle    = 3'h0,
    StatusRunning = 3'h1,
    StatusDone    = 3'h2,
    StatusFault   = 3'h3,
    StatusAborted = 3'h4
  } status_e;

  localparam fault_t NoFault = '{code: FaultNone, stream: '0, dimension: '0};

  // Copies of the registers, one for each strip at work; a body has as many phases at most.
  localparam int unsigned CopiesMax = 4;
  typedef logic [$clog2(CopiesMax+1)-1:0] copies_t;
  typedef logic [$clog2(CopiesMax)-1:0] phase_t;

  // Registers and streams that an instruction of a body names. A strip has the destination if there
  // are `most_copies` of the registers, or fewer.
  typedef logic [VectorRegisters-1:0] vector_set_t;
  typedef logic [ResultCount-1:0] result_set_t;

  typedef struct packed {
    vector_set_t vectors;
    result_set_t results;
    stream_set_t streams;
  } names_t;

  typedef struct packed {
    names_t read;
    names_t written;
    copies_t most_copies;
  } references_t;

  function automatic names_t names_of(operand_t code);
    names_of = '0;
    for (int unsigned i = 0; i < VectorRegisters; i++) begin
      names_of.vectors[i] = code == VectorFirst + operand_t'(i);
    end
    for (int unsigned i = 0; i < ResultCount; i++) begin
      names_of.results[i] = code == ResultFirst + operand_t'(i);
    end
    for (int unsigned i = 0; i < Streams; i++) begin
      names_of.streams[i] = code == code_of(stream_number_t'(i));
    end
  endfunction

  // Of the register with this number, of `registers` that all copies share.
  function automatic copies_t most_copies_of(operand_t number, int unsigned registers);
    if (number < operand_t'(registers / 4)) return copies_t'(4);
    if (number < operand_t'(registers / 2)) return copies_t'(2);
    return copies_t'(1);
  endfunction

  localparam int unsigned Sources = 3;  // operands of an instruction: a, b, c

  // What is known of a word before its opcode has been looked up.
  typedef struct packed {
    logic plain_reserved;     // bits are set that are 0 in a word of this format
    logic base_reserved;
    logic size_reserved;
    logic loop_reserved;
    logic vector_reserved;
    logic stream;             // the operand exists on this target
    logic base;               // stream, type and rank exist
    logic copies;             // a number of copies is legal
    logic lane_destination;   // the operand exists, and the port may write it
    logic special_destination;
    logic [Sources-1:0] sources;   // an operand exists
    logic [Sources-1:0] sets;      // its field is not 0
    logic unused_immediate;   // there is one, and no operand is it
  } word_facts_t;

  // A word with what the decoder says about it; fault is what is wrong with the word alone, and
  // faulty that something is.
  typedef struct packed {
    instruction_word_t word;
    instruction_t info;
    logic faulty;
    fault_e fault;
    logic halts;              // which operation of the control side it is, if any
    logic sets_base;
    logic sets_size;
    logic begins_body;
    logic ends_body;
    stream_number_t stream;   // of a base or a size, and as a set
    stream_set_t stream_set;
    dimension_set_t dimension_set;  // of a size
    references_t references;  // of an instruction of a body
  } decoded_t;

  // A stream or, at the end, the number of points.
  typedef logic [$clog2(Streams+1)-1:0] stream_slot_t;

  // A dimension of a stream or of the points on its way into canonical form.
  typedef struct packed {
    logic points;              // of the points, not of a stream
    stream_number_t stream;
    logic one;                 // the stream has size 1 in it
    logic first;               // the innermost dimension
    logic last;                // the outermost one
    logic last_stream;         // of the kernel
  } form_step_t;

  // Canonical form of an input stream.
  typedef struct packed {
    size_t [RepeatLevels-1:0] repeats;
    size_t [RepeatLevels-1:0] blocks;
    level_t held;
    size_t block_points;
  } canonical_t;

  // What a stream covers of the iteration.
  typedef struct packed {
    stream_number_t stream;
    logic last_stream;         // of the kernel
    logic empty;               // no elements
    logic dense;               // no size is 1 where the iteration's is not
    logic overflow;            // 2^SizeBits elements or more, unless empty
    size_t elements;
  } covered_t;

  // Bytes of a stream, and what makes two streams walk the same elements.
  typedef struct packed {
    logic [HostBits-1:0] first;
    logic [HostBits-1:0] limit;  // byte after the last
    logic empty;
    logic dense;
    type_e element_type;
  } extent_t;

  // Words of a phase, counted from the body's first word: those of its segment of lane instructions
  // end before `segment_end`, those of its group of special ones, which follow, before `group_end`.
  // `lead` is the last word of the segment whose result the group reads, if there is one.
  typedef struct packed {
    pc_t segment_end;
    pc_t group_end;
    logic has_lead;
    pc_t lead;
  } phase_words_t;

  // The order of a body. The first segment may be empty, and the last word may be a special one.
  typedef struct packed {
    copies_t copies;
    logic lanes;             // it has lane instructions:
    phase_t lane_first;      // in these phases
    phase_t lane_last;
    logic specials;          // it has special instructions:
    phase_t special_last;    // in the phases from 0 to here
    logic begins_special;    // with a special instruction
    logic ends_special;
    phase_t first_output;    // first phase that writes an output
    phase_words_t [CopiesMax-1:0] phases;
  } body_order_t;

  // A kernel, besides its streams: vector instructions from pc `body_first` on.
  typedef struct packed {
    size_t points;
    pc_t body_first;
    body_order_t body;
  } kernel_t;

  // What the counters count in one cycle; index by counter_e. The widest are bytes of a bus word
  // and words of a burst.
  localparam int unsigned CounterBits = 64;
  localparam int unsigned StepMax = AxiBytes > BurstBeats ? AxiBytes : BurstBeats;
  typedef logic [$clog2(StepMax+1)-1:0] counter_step_t;
  typedef counter_step_t [CounterCount-1:0] counter_steps_t;
  typedef logic [CounterCount-1:0][CounterBits-1:0] counters_t;

  // verilator lint_on UNUSEDSIGNAL
  // verilator lint_on UNUSEDPARAM

endpackage
