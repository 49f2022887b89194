// Fetches program and packet at start: asks for their bus words, the program's first, and
// writes the words into the two memories.
//
// Timing: start_i in cycle t makes the first request in cycle t + 1; a burst of b beats is followed
// by the next request after max(b, BurstGap) cycles. due_o is high from MemoryLatency +
// MachineLoad - 1 cycles after the last beat could be asked for, beat by beat from the request on:
// the last cycle of a load whose memory keeps up. loaded_o is high from the cycle in which all
// words can be read; with such a memory that is MachineLoad - 4 cycles before due_o, or more. Both
// are low from cycle t + 1. version_o is the first word of the packet. dispatch_i holds still from
// start_i on, and no size is above the size of its memory.
module image_loader
  import hwc_isa_pkg::*;
  import hwc_target_pkg::*;
  import hwc_stream_pkg::*;
  import hwc_core_pkg::*;
(
    input  logic                         clk_i,
    input  logic                         rst_ni,
    input  logic                         start_i,
    // verilator lint_off UNUSEDSIGNAL
    input  dispatch_t                    dispatch_i,  // window and upper bits are not needed
    // verilator lint_on UNUSEDSIGNAL
    output logic                         loaded_o,
    output logic                         due_o,
    output logic          [HostBits-1:0] version_o,
    // Read master.
    output logic                         request_valid_o,
    output read_request_t                request_o,
    input  logic                         request_ready_i,
    input  logic                         word_valid_i,
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
  // Bus words of an image; the largest has 2^16 words and two parts of a bus word.
  localparam int unsigned CountBits = 18;
  localparam int unsigned DueMax = BurstBeats + MemoryLatency + MachineLoad;
  typedef logic [CountBits-1:0] count_t;
  typedef logic [$clog2(DueMax+1)-1:0] due_t;

  if (InstructionWords > 65536 || ParameterWords > 65536) begin : gen_size_check
    $error("an image is at most 65536 words");
  end

  // Bus words of an image that begins `start` bytes into the first, and the byte after the last in
  // the last one.
  function automatic count_t beats_of(word_offset_t start, logic [31:0] length);
    logic [31:0] bytes;
    bytes = (length << WordByteShift) + 32'(start) + AxiBytes - 1;
    return length == '0 ? '0 : count_t'(bytes >> WordShift);
  endfunction

  function automatic word_count_t high_of(word_offset_t start, logic [31:0] length);
    word_offset_t last;
    last = word_offset_t'(length << WordByteShift) + start - 1'b1;
    return {1'b0, last} + 1'b1;
  endfunction

  address_t program_address, packet_address;
  count_t program_beats, packet_beats;

  word_offset_t program_offset, packet_offset;

  // Images are aligned: the low bits of an address are not looked at.
  always_comb begin
    program_address = {dispatch_i.program_address[AddressBits-1:AlignShift], AlignShift'(0)};
    packet_address = {dispatch_i.packet_address[AddressBits-1:AlignShift], AlignShift'(0)};
    program_offset = program_address[WordShift-1:0];
    packet_offset = packet_address[WordShift-1:0];
    program_beats = beats_of(program_offset, dispatch_i.program_words);
    packet_beats = beats_of(packet_offset, dispatch_i.packet_words);
    program_first_o = word_index_t'(32'(program_offset) >> WordByteShift);
    packet_first_o = word_index_t'(32'(packet_offset) >> WordByteShift);
  end

  // Requests.
  logic asking_d, asking_q, packet_d, packet_q, fresh_d, fresh_q;
  word_address_t word_d, word_q;
  count_t left_d, left_q, to_boundary, beats, gap_d, gap_q;
  due_t due_d, due_q;
  word_offset_t offset;
  logic ends;

  always_comb begin
    offset = packet_q ? packet_offset : program_offset;
    to_boundary = count_t'(BurstBeats) - (count_t'(word_q) & count_t'(BurstBeats - 1));
    ends = left_q <= to_boundary;
    beats = ends ? left_q : to_boundary;

    request_valid_o = asking_q && left_q != '0 && gap_q == '0;
    request_o.word = word_q;
    request_o.beats = burst_count_t'(beats);
    request_o.tag.target = packet_q ? ReadPacket : ReadProgram;
    request_o.tag.stream = '0;
    request_o.tag.low = fresh_q ? offset : '0;
    request_o.tag.high = ends ? high_of(offset, packet_q ? dispatch_i.packet_words
                                                          : dispatch_i.program_words)
                              : word_count_t'(AxiBytes);

    asking_d = asking_q;
    packet_d = packet_q;
    fresh_d = fresh_q;
    word_d = word_q;
    left_d = left_q;
    gap_d = gap_q == '0 ? '0 : gap_q - 1'b1;
    due_d = due_q == '0 ? '0 : due_q - 1'b1;
    if (request_valid_o && request_ready_i) begin
      gap_d = beats < count_t'(BurstGap) ? count_t'(BurstGap - 1) : beats - 1'b1;
      due_d = due_t'(beats) + due_t'(MemoryLatency + MachineLoad - 2);
      fresh_d = 1'b0;
      word_d = word_q + word_address_t'(beats);
      left_d = left_q - beats;
    end
    if (asking_q && left_d == '0) begin
      asking_d = !packet_q;
      packet_d = 1'b1;
      fresh_d = 1'b1;
      word_d = packet_address[AddressBits-1:WordShift];
      left_d = packet_beats;
    end
    if (start_i) begin
      asking_d = 1'b1;
      packet_d = program_beats == '0;
      fresh_d = 1'b1;
      word_d = packet_d ? packet_address[AddressBits-1:WordShift]
                        : program_address[AddressBits-1:WordShift];
      left_d = packet_d ? packet_beats : program_beats;
      gap_d = '0;
      due_d = due_t'(MemoryLatency + MachineLoad - 1);
    end
  end

  // The word that has arrived.
  count_t program_done_d, program_done_q, packet_done_d, packet_done_q;
  logic waiting_d, waiting_q;
  logic [HostBits-1:0] version_d, version_q;
  logic [WordsPerBusWord-1:0][WordBits-1:0] words;

  always_comb begin
    words = word_i.data;
    write_program_o = word_valid_i && word_i.target == ReadProgram;
    write_packet_o = word_valid_i && word_i.target == ReadPacket;
    write_row_o = write_program_o ? program_done_q[15:0] : packet_done_q[15:0];
    write_data_o = word_i.data;

    program_done_d = program_done_q + count_t'(write_program_o);
    packet_done_d = packet_done_q + count_t'(write_packet_o);
    version_d = version_q;
    if (write_packet_o && packet_done_q == '0) version_d = words[packet_first_o];
    waiting_d = waiting_q
        && (program_done_d != program_beats || packet_done_d != packet_beats);
    if (start_i) begin
      program_done_d = '0;
      packet_done_d = '0;
      waiting_d = 1'b1;
      version_d = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      asking_q  <= 1'b0;
      waiting_q <= 1'b0;
    end else begin
      asking_q  <= asking_d;
      waiting_q <= waiting_d;
    end
  end

  always_ff @(posedge clk_i) begin
    packet_q       <= packet_d;
    fresh_q        <= fresh_d;
    word_q         <= word_d;
    left_q         <= left_d;
    gap_q          <= gap_d;
    due_q          <= due_d;
    program_done_q <= program_done_d;
    packet_done_q  <= packet_done_d;
    version_q      <= version_d;
  end

  assign loaded_o = !waiting_q;
  assign due_o = !asking_q && due_q == '0;
  assign version_o = version_q;

endmodule
