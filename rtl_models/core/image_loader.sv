// Fetches program and packet at start: asks for their bus words, the program's first, and
// writes the words into the two memories.
//
// Timing: start_i with ask_i in cycle t makes the first request in cycle t + 1; a burst of b beats
// is followed by the next request after max(b, BurstGap) cycles. due_o is high from MemoryLatency +
// MachineLoad - 1 cycles after the last beat could be asked for, beat by beat from the request on:
// the last cycle of a load whose memory keeps up. loaded_o is high from the cycle in which all
// words can be read, program_loaded_o from the one in which those of the program can; with such a
// memory loaded_o comes MachineLoad - 4 cycles before due_o, or more. All three are low from cycle
// t + 1. version_o is the first word of the packet. dispatch_i holds still from start_i on.
// Without ask_i nothing is asked for, and nothing means anything: a size is above that of its
// memory.
module image_loader
  import hwc_isa_pkg::*;
  import hwc_target_pkg::*;
  import hwc_stream_pkg::*;
  import hwc_core_pkg::*;
(
    input  logic                         clk_i,
    input  logic                         rst_ni,
    input  logic                         start_i,
    input  logic                         ask_i,
    // verilator lint_off UNUSEDSIGNAL
    input  dispatch_t                    dispatch_i,  // window and upper bits are not needed
    // verilator lint_on UNUSEDSIGNAL
    output logic                         program_loaded_o,
    output logic                         loaded_o,
    output logic                         due_o,
    output logic          [HostBits-1:0] version_o,
    // Read master.
    output logic                         request_valid_o,
    output read_request_t                request_o,
    input  logic                         request_ready_i,
    input  image_valid_t                 word_valid_i,
    // verilator lint_off UNUSEDSIGNAL
    input  read_word_t                   word_i,      // whole bus words are written
    // verilator lint_on UNUSEDSIGNAL
    // Memories.
    output word_index_t                  program_first_o,
    output word_index_t                  packet_first_o,
    output logic                         write_program_o,
    output logic                         write_packet_o,
    output logic          [        15:0] write_row_o,
    output word_t                        write_data_o
);

  localparam int unsigned WordByteShift = $clog2(WordBytes);
  localparam int unsigned AlignShift = $clog2(MachineImageAlignment);
  localparam int unsigned AlignBits = $clog2(BurstBeats);
  // Words of an image, and bus words of it: as many and two parts of a bus word.
  localparam int unsigned ImageWords =
      InstructionWords > ParameterWords ? InstructionWords : ParameterWords;
  localparam int unsigned LengthBits = $clog2(ImageWords + 1);
  localparam int unsigned ImageBits = $clog2(ImageWords + 3);
  localparam int unsigned CountBits = ImageBits > BurstCountBits ? ImageBits : BurstCountBits;
  localparam int unsigned CostMax = BurstBeats > BurstGap ? BurstBeats : BurstGap;
  localparam int unsigned DueMax = BurstBeats + MemoryLatency + MachineLoad;
  typedef logic [LengthBits-1:0] length_t;
  typedef logic [CountBits-1:0] count_t;
  typedef logic [$clog2(CostMax+1)-1:0] cost_t;
  typedef logic [$clog2(DueMax+1)-1:0] due_t;

  if (InstructionWords > 65536 || ParameterWords > 65536) begin : gen_size_check
    $error("an image is at most 65536 words");
  end

  // What is left of an image, and its next burst: up to its end or to a multiple of BurstBeats.
  typedef struct packed {
    word_address_t word;
    count_t left;
    logic some;  // is left
    logic ends;  // with the burst
    burst_count_t beats;
  } fetch_t;

  // Bus words of an image that begins `start` bytes into the first, and the byte after the last in
  // the last one.
  function automatic count_t beats_of(word_offset_t start, length_t length);
    logic [LengthBits+WordByteShift:0] bytes;
    bytes = ($bits(bytes))'({length, WordByteShift'(0)}) + ($bits(bytes))'(start)
        + ($bits(bytes))'(AxiBytes - 1);
    return length == '0 ? '0 : count_t'(bytes >> WordShift);
  endfunction

  function automatic word_count_t high_of(word_offset_t start, length_t length);
    word_offset_t last;
    last = word_offset_t'({length, WordByteShift'(0)}) + start - 1'b1;
    return {1'b0, last} + 1'b1;
  endfunction

  function automatic fetch_t fetch_of(word_address_t word, count_t beats);
    burst_count_t to_boundary;
    to_boundary = burst_count_t'(BurstBeats)
        - (burst_count_t'(word) & burst_count_t'(BurstBeats - 1));
    fetch_of.word = word;
    fetch_of.left = beats;
    fetch_of.some = beats != '0;
    fetch_of.ends = beats <= count_t'(to_boundary);
    fetch_of.beats = fetch_of.ends ? burst_count_t'(beats) : to_boundary;
  endfunction

  // Images are aligned: the low bits of an address are not looked at.
  address_t program_address, packet_address;
  word_offset_t program_offset, packet_offset;
  length_t program_length, packet_length;
  count_t program_beats, packet_beats, program_beats_q, packet_beats_q;
  fetch_t program_fetch, packet_fetch, packet_fetch_q;

  always_comb begin
    program_address = {dispatch_i.program_address[AddressBits-1:AlignShift], AlignShift'(0)};
    packet_address = {dispatch_i.packet_address[AddressBits-1:AlignShift], AlignShift'(0)};
    program_offset = program_address[WordShift-1:0];
    packet_offset = packet_address[WordShift-1:0];
    program_length = length_t'(dispatch_i.program_words);
    packet_length = length_t'(dispatch_i.packet_words);
    program_beats = beats_of(program_offset, program_length);
    packet_beats = beats_of(packet_offset, packet_length);
    program_fetch = fetch_of(program_address[AddressBits-1:WordShift], program_beats);
    packet_fetch = fetch_of(packet_address[AddressBits-1:WordShift], packet_beats);
    program_first_o = word_index_t'(32'(program_offset) >> WordByteShift);
    packet_first_o = word_index_t'(32'(packet_offset) >> WordByteShift);
  end

  // Requests. The next one is made while the one before holds the loader.
  logic asking_d, asking_q, packet_d, packet_q, issue;
  fetch_t fetch_d, fetch_q, after;
  word_address_t boundary;
  count_t left_after;
  logic image_ends, goes_on, fetch_changes;
  cost_t timer_d, timer_q;
  logic idle_q, waited_q;  // timer_q is 0, due_q is 0
  due_t due_d, due_q;
  word_offset_t offset;

  always_comb begin
    offset = packet_q ? packet_offset : program_offset;
    request_valid_o = asking_q && fetch_q.some && idle_q;
    request_o.word = fetch_q.word;
    request_o.beats = fetch_q.beats;
    request_o.tag.target = packet_q ? ReadPacket : ReadProgram;
    request_o.tag.stream = '0;
    request_o.tag.low = '0;  // words are written as they are
    request_o.tag.high = fetch_q.ends ? high_of(offset, packet_q ? packet_length : program_length)
                                      : word_count_t'(AxiBytes);
    issue = request_valid_o && request_ready_i;
  end

  // From a multiple of BurstBeats on.
  always_comb begin
    boundary = '0;
    boundary[$bits(word_address_t)-1:AlignBits] =
        fetch_q.word[$bits(word_address_t)-1:AlignBits] + 1'b1;
    left_after = fetch_q.left - count_t'(fetch_q.beats);
  end

  // The request after the one in hand, which memory takes late in a cycle.
  always_comb begin
    image_ends = !fetch_q.some || fetch_q.ends;
    after.word = boundary;
    after.left = left_after;
    after.some = 1'b1;
    after.ends = left_after <= count_t'(BurstBeats);
    after.beats = after.ends ? burst_count_t'(left_after) : burst_count_t'(BurstBeats);
    if (image_ends) after = packet_fetch_q;
  end

  always_comb begin
    // The first request is there before the start, which comes late in its cycle.
    goes_on = issue || !fetch_q.some;
    asking_d = asking_q;
    packet_d = asking_q ? packet_q : program_length == '0;
    fetch_d = asking_q ? after : program_length == '0 ? packet_fetch : program_fetch;
    fetch_changes = !asking_q || goes_on;
    timer_d = idle_q || !asking_q ? '0 : timer_q - 1'b1;
    due_d = waited_q ? '0 : due_q - 1'b1;
    if (issue) begin
      timer_d = cost_t'(fetch_q.beats) < cost_t'(BurstGap) ? cost_t'(BurstGap - 1)
                                                           : cost_t'(fetch_q.beats) - 1'b1;
      due_d = due_t'(fetch_q.beats) + due_t'(MemoryLatency + MachineLoad - 2);
    end
    if (asking_q && goes_on && image_ends) begin
      asking_d = !packet_q;
      packet_d = 1'b1;
    end
    if (start_i) begin
      asking_d = ask_i;
      due_d = due_t'(MemoryLatency + MachineLoad - 1);
    end
  end

  // The word that has arrived.
  count_t program_done_d, program_done_q, packet_done_d, packet_done_q;
  logic program_waiting_d, program_waiting_q, waiting_d, waiting_q;
  logic [HostBits-1:0] version_d, version_q;
  logic [WordsPerBusWord-1:0][WordBits-1:0] words;

  always_comb begin
    words = word_i.data;
    write_program_o = word_valid_i.of_program;
    write_packet_o = word_valid_i.of_packet;
    write_row_o = write_program_o ? 16'(program_done_q) : 16'(packet_done_q);
    write_data_o = word_i.data;

    program_done_d = program_done_q + count_t'(write_program_o);
    packet_done_d = packet_done_q + count_t'(write_packet_o);
    version_d = version_q;
    if (write_packet_o && packet_done_q == '0) version_d = words[packet_first_o];
    program_waiting_d = program_waiting_q && program_done_d != program_beats_q;
    waiting_d = waiting_q && (program_waiting_d || packet_done_d != packet_beats_q);
    if (start_i) begin
      program_done_d = '0;
      packet_done_d = '0;
      program_waiting_d = 1'b1;
      waiting_d = 1'b1;
      version_d = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      asking_q          <= 1'b0;
      program_waiting_q <= 1'b0;
      waiting_q         <= 1'b0;
    end else begin
      asking_q          <= asking_d;
      program_waiting_q <= program_waiting_d;
      waiting_q         <= waiting_d;
    end
  end

  always_ff @(posedge clk_i) begin
    packet_q        <= packet_d;
    packet_fetch_q  <= packet_fetch;
    timer_q         <= timer_d;
    idle_q          <= timer_d == '0;
    due_q           <= due_d;
    waited_q        <= due_d == '0;
    program_beats_q <= program_beats;
    packet_beats_q  <= packet_beats;
    program_done_q  <= program_done_d;
    packet_done_q   <= packet_done_d;
    version_q       <= version_d;
    if (fetch_changes) fetch_q <= fetch_d;
  end

  assign program_loaded_o = !program_waiting_q;
  assign loaded_o = !waiting_q;
  assign due_o = !asking_q && waited_q;
  assign version_o = version_q;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      if (start_i) assert (!asking_q && idle_q)
      else $error("a start while the load before is not over");
    end
  end
`endif

endmodule
