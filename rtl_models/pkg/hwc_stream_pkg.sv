// Types of the stream path: what its blocks pass on. hwc_descriptor_pkg describes what the shape
// unit hands to it.
//
// Sizes come from hwc_target_pkg, cycles from hwc_isa_pkg; nothing is stated twice here.
package hwc_stream_pkg;

  // A design uses a part of a package, and a function may use a part of its arguments.
  // verilator lint_off UNUSEDPARAM
  // verilator lint_off UNUSEDSIGNAL

  import hwc_isa_pkg::*;
  import hwc_target_pkg::*;
  // The lanes of the arithmetic units; this package passes their types on.
  import hwc_vector_pkg::LaneBits;
  import hwc_vector_pkg::lane_t;
  export hwc_vector_pkg::LaneBits;
  export hwc_vector_pkg::lane_t;
  // So are the descriptions of streams.
  import hwc_descriptor_pkg::*;
  export hwc_descriptor_pkg::SizeBits;
  export hwc_descriptor_pkg::DataLevels;
  export hwc_descriptor_pkg::RepeatLevels;
  export hwc_descriptor_pkg::TableRows;
  export hwc_descriptor_pkg::size_t;
  export hwc_descriptor_pkg::address_t;
  export hwc_descriptor_pkg::lane_index_t;
  export hwc_descriptor_pkg::lane_count_t;
  export hwc_descriptor_pkg::level_t;
  export hwc_descriptor_pkg::stream_shape_t;
  export hwc_descriptor_pkg::output_shape_t;

  // Bytes. Bus words, ring rows, strips and rows of lanes are powers of two.
  localparam int unsigned LaneBytes = LaneBits / 8;
  localparam int unsigned WordShift = $clog2(AxiBytes);
  localparam int unsigned RowShift = $clog2(RowBytes);
  localparam int unsigned RingRows = RingCapacity / RowBytes;
  localparam int unsigned RingBits = $clog2(RingCapacity);
  localparam int unsigned RingRowBits = $clog2(RingRows);

  // Points, lanes and rows of lanes.
  localparam int unsigned LaneShift = $clog2(Lanes);
  localparam int unsigned VlenShift = $clog2(Vlen);
  localparam int unsigned StripRows = Vlen / Lanes;
  localparam int unsigned StripRowBits = $clog2(StripRows);
  localparam int unsigned LandingSlotBits = $clog2(MachineLandingStrips);
  localparam int unsigned OutputSlotBits = $clog2(MachineStoreStrips);
  localparam int unsigned PipePorts = 2;           // of the vector pipe: lanes, special functions

  typedef logic [AddressBits-WordShift-1:0] word_address_t;
  typedef logic [WordShift-1:0] word_offset_t;     // of a byte in a bus word
  typedef logic [WordShift:0] word_count_t;        // bytes of a bus word, 0 to all
  typedef logic [AxiBits-1:0] word_t;
  typedef logic [AxiBytes-1:0] strobe_t;
  typedef lane_t [Lanes-1:0] row_t;
  typedef logic [StripRowBits-1:0] strip_row_t;
  typedef logic [LandingSlotBits+StripRowBits-1:0] landing_row_t;
  typedef logic [OutputSlotBits+StripRowBits-1:0] store_row_t;
  typedef logic [VlenShift:0] strip_points_t;      // 0 to Vlen
  typedef logic [SizeBits-VlenShift:0] strip_count_t;

  // A fetch position counts the bytes of a stream in fetch order from the start of the kernel,
  // modulo a power of two. Positions that are compared are at most a ring and two strips apart,
  // which is less than half of it.
  localparam int unsigned FetchPositionBits = RingBits + 2;
  typedef logic [FetchPositionBits-1:0] fetch_position_t;

  // Whether fetch position `a` is at `b` or after it.
  function automatic logic position_reached(fetch_position_t a, fetch_position_t b);
    fetch_position_t ahead;
    ahead = a - b;
    return !ahead[FetchPositionBits-1];
  endfunction

  // A byte of a ring, and the byte `distance` (at most a ring) further round.
  typedef logic [RingBits-1:0] ring_address_t;
  function automatic ring_address_t ring_add(ring_address_t address, ring_address_t distance);
    logic [RingBits:0] sum;
    sum = {1'b0, address} + {1'b0, distance};
    if (sum >= (RingBits + 1)'(RingCapacity)) sum = sum - (RingBits + 1)'(RingCapacity);
    return sum[RingBits-1:0];
  endfunction

  // log2 of the bytes of an element.
  typedef logic [1:0] shift_t;
  function automatic shift_t element_shift(type_e element_type);
    unique case (type_bytes(element_type))
      3'd2: return 2'd1;
      3'd4: return 2'd2;
      default: return 2'd0;
    endcase
  endfunction

  // Elements of a run: of memory that a stream walks through once from end to end, a held unit
  // after the other, before it goes back or on.
  function automatic size_t run_elements(stream_shape_t shape);
    return shape.held == level_t'(DataLevels) ? shape.blocks[DataLevels]
                                              : shape.blocks[shape.held + 1'b1];
  endfunction

  // Strips of a kernel, and points of its last one.
  function automatic strip_count_t strips_of(size_t points);
    return {1'b0, points[SizeBits-1:VlenShift]} + strip_count_t'(points[VlenShift-1:0] != '0);
  endfunction

  function automatic strip_points_t last_points_of(size_t points);
    return points[VlenShift-1:0] == '0 ? strip_points_t'(Vlen) : {1'b0, points[VlenShift-1:0]};
  endfunction

  // What the last point of a strip says about the stream's elements.
  typedef struct packed {
    logic new_run;     // it lies in another run than the last point of the strip before
    size_t origin;     // elements in memory before the run
    size_t high;       // elements of the run needed by points up to it
    size_t low;        // elements of the run that no point after it needs
    fetch_position_t run_position;   // bytes in fetch order before the run
  } strip_position_t;

  // A beat of a broadcast unit: the window it reads and what its lanes take of it.
  typedef struct packed {
    ring_address_t address;
    lane_index_t first_lane;
    lane_count_t count;          // lanes served
    logic small_repeat;          // repeat[0] < Lanes
    lane_index_t repeated;       // points of the first element passed, if small_repeat
    lane_count_t repeat_left;    // points of the first element ahead, up to Lanes
    logic small_pass;            // held, and data[0] < Lanes: the window is the block's
    lane_index_t pass_position;  // elements of the pass before the beat, if small_pass
    lane_count_t pass_left;      // elements of the pass ahead, up to Lanes
    logic load_head;             // the window begins in the head of the block, at head_position
    lane_index_t head_position;
  } beat_t;

  // Bus words of one run that a strip asks for first. `low` and `high` bound the bytes that belong
  // to the stream: from `low` in the first word, below `high` in the last.
  localparam int unsigned SegmentWords = Vlen * LaneBytes / AxiBytes + 2;  // at most
  typedef logic [$clog2(SegmentWords+1)-1:0] segment_count_t;
  typedef struct packed {
    word_address_t word;
    segment_count_t count;
    word_offset_t low;
    word_count_t high;
  } segment_t;

  // A burst of reads and what becomes of its data.
  localparam int unsigned BurstCountBits = $clog2(BurstBeats + 1);
  typedef logic [BurstCountBits-1:0] burst_count_t;
  typedef logic [(InputStreams > 1 ? $clog2(InputStreams) : 1)-1:0] stream_index_t;
  typedef logic [(OutputStreams > 1 ? $clog2(OutputStreams) : 1)-1:0] output_index_t;
  typedef enum logic [1:0] {
    ReadStream,
    ReadProgram,
    ReadPacket
  } read_target_e;

  typedef struct packed {
    read_target_e target;
    stream_index_t stream;
    word_offset_t low;    // first byte in the first word
    word_count_t high;    // byte after the last in the last word
  } read_tag_t;

  typedef struct packed {
    word_address_t word;
    burst_count_t beats;
    read_tag_t tag;
  } read_request_t;

  // What goes to the bus.
  typedef struct packed {
    address_t address;
    logic [7:0] length;   // beats - 1
  } burst_t;

  // What a burst says of itself besides where it goes, as the host wants it.
  typedef struct packed {
    logic [3:0] cache;
    logic [2:0] prot;
    logic [3:0] qos;
  } burst_attributes_t;

  typedef struct packed {
    burst_attributes_t read;
    burst_attributes_t write;
  } bus_attributes_t;

  typedef struct packed {
    word_t data;
    strobe_t strobe;
    logic last;
  } write_word_t;

  // A bus word that has arrived: its bytes from the first one that was asked for on, `bytes` of
  // them, which `strobe` marks.
  typedef struct packed {
    word_count_t bytes;
    strobe_t strobe;
    word_t data;
  } read_word_t;

  // Whether it is one of the program or of the packet.
  typedef struct packed {
    logic of_program;
    logic of_packet;
  } image_valid_t;

  // Bus words to write, one after another.
  typedef struct packed {
    word_address_t word;
    segment_count_t count;
  } write_request_t;

  // What the broadcast of a strip waits for, and what it releases when it ends.
  typedef struct packed {
    fetch_position_t needed;
    fetch_position_t released;
  } mark_t;

  // A step of the store engine: elements of a row on their way into bus words. A step without
  // elements brings out the partial word.
  typedef struct packed {
    output_index_t stream;
    logic first;               // of the stream's steps in the strip
    segment_count_t words;     // that the stream's steps in the strip fill, the last may be partial
    shift_t shift;             // bytes of an element, as a power of 2
    lane_index_t [Lanes-1:0] lanes;  // of the word's elements, see store_lane
    word_offset_t offset;      // of its first byte in its word
    word_count_t ends;         // the byte after its last, counted from the same word
    logic full;                // it ends a word, or the part
  } store_step_t;

  // A step of the store engine takes as many lanes as a row or a word has elements, from a multiple
  // of them on.
  function automatic int unsigned store_lanes(int unsigned shift);
    return Lanes < AxiBytes >> shift ? Lanes : AxiBytes >> shift;
  endfunction

  // The lane of a word's element, which is counted modulo store_lanes as `start` is, the element
  // where the step begins. The difference is a table: a subtractor would be a chain of carries.
  function automatic lane_index_t store_lane(
      int unsigned shift, int unsigned element, lane_index_t start, lane_index_t first);
    lane_index_t after, low;
    logic borrow;
    borrow = 1'b0;
    for (int unsigned bit_number = 0; bit_number < LaneShift; bit_number++) begin
      logic own;
      own = 1'(element >> bit_number);
      after[bit_number] = own ^ start[bit_number] ^ borrow;
      borrow = own ? start[bit_number] && borrow : start[bit_number] || borrow;
    end
    low = lane_index_t'(store_lanes(shift) - 1);
    return (first & ~low) | (after & low);
  endfunction

  // A type, as the only one of its set.
  localparam int unsigned TypeCodes = 2 ** $bits(type_e);
  typedef logic [TypeCodes-1:0] type_set_t;

  // Types whose elements load alike have one that stands for all of them.
  typedef type_e [TypeCodes-1:0] type_map_t;

  function automatic logic loads_as(type_e element_type, type_e other);
    if (element_type == other) return 1'b1;
    if (type_bytes(element_type) == 3'(LaneBytes)) return type_bytes(other) == 3'(LaneBytes);
    return type_bytes(other) != 3'(LaneBytes) && type_kind(other) == KindFloat &&
        type_kind(element_type) == KindFloat &&
        hwc_float_pkg::has_all_of(float_format(other), float_format(element_type));
  endfunction

  function automatic type_map_t load_types();
    for (int unsigned code = 0; code < TypeCodes; code++) begin
      load_types[code] = type_e'(code);
      for (int unsigned other = TypeCodes; other > 0; other--) begin
        if (loads_as(type_e'(code), type_e'(other - 1))) load_types[code] = type_e'(other - 1);
      end
    end
  endfunction

  localparam type_map_t LoadTypes = load_types();

  function automatic type_set_t load_type(type_e element_type);
    return type_set_t'(1) << LoadTypes[element_type];
  endfunction

  // The lane of an element in memory. The element's bytes are at the top, with zeros below it in
  // the upper half of the lane; its type is the one that load_type says.
  function automatic lane_t load_element(lane_t memory, type_set_t element_type);
    // Each type on its own, so that its shifts are by constants; one of them counts.
    load_element = '0;
    for (int unsigned code = 0; code < TypeCodes; code++) begin
      if (type_assigned(($bits(type_e))'(code)) && LoadTypes[code] == type_e'(code)) begin
        load_element |= load_as(memory, type_e'(code)) & {LaneBits{element_type[code]}};
      end
    end
  endfunction

  function automatic lane_t load_as(lane_t memory, type_e element_type);
    unique case (type_kind(element_type))
      KindBoolean: return lane_t'(memory[LaneBits-1-:8] != '0);
      KindFloat: return hwc_float_pkg::widen(float_format(element_type), memory);
      default: return unsigned'(signed'(memory) >>> (LaneBits - 8 * 32'(type_bytes(element_type))));
    endcase
  endfunction

  // What storing elements of a type needs to know of the type.
  typedef struct packed {
    kind_e kind;
    hwc_float_pkg::narrow_format_t format;  // of a float
  } store_format_t;

  function automatic store_format_t store_format(type_e element_type);
    return '{
        kind: type_kind(element_type),
        format: hwc_float_pkg::narrow_format(float_format(element_type))
    };
  endfunction

  // The element of a lane in the lane's low bytes; the bytes after it mean nothing. `narrowing` is
  // what begin_narrow says of the lane.
  function automatic lane_t store_element(
      lane_t lane, hwc_float_pkg::narrowing_t narrowing, store_format_t format);
    unique case (format.kind)
      KindBoolean: return lane_t'(lane != '0);
      KindFloat: return hwc_float_pkg::narrow(format.format, narrowing);
      default: return lane;
    endcase
  endfunction

  // verilator lint_on UNUSEDSIGNAL
  // verilator lint_on UNUSEDPARAM

endpackage
