// Ring of one input stream: bytes packed in walk order, whatever words of memory they came in.
//
// In a cycle the bytes of one bus word go in, and one window of Lanes elements comes out, both at
// any byte. Even and odd rows are two
// memories, so that a word and a window may each lie across two rows. The modules around the ring
// count its free space: the ring itself is never full or empty.
//
// Timing: a word written in cycle t is in windows asked for from cycle t + 1 on. The window asked
// for in cycle t is on window_o in cycle t + 2: its rows are read in one cycle and turned in the
// next. clear_i empties the ring: the next word starts it anew.
module stream_ring
  import hwc_stream_pkg::*;
  import hwc_target_pkg::*;
(
    input  logic                                clk_i,
    input  logic                                rst_ni,
    input  logic                                clear_i,
    input  logic                                write_i,
    input  word_t                               data_i,
    input  word_count_t                         bytes_i,   // of data_i, from the lowest one on
    input  strobe_t                             strobe_i,  // marks them
    input  logic                                read_i,
    input  ring_address_t                       address_i,
    output logic          [Lanes*LaneBytes-1:0][7:0] window_o
);

  localparam int unsigned BankRows = RingRows / 2;
  localparam int unsigned BankBits = $clog2(BankRows);
  typedef logic [RowBytes-1:0][7:0] bytes_t;
  typedef logic [RowShift-1:0] offset_t;

  if (RingRows % 2 != 0 || RingCapacity % RowBytes != 0) begin : gen_rows_check
    $error("a ring needs an even number of rows, got %0d bytes in rows of %0d", RingCapacity,
           RowBytes);
  end
  if (RingBytes < 2 * Vlen * LaneBytes + 2 * AxiBytes) begin : gen_bytes_check
    $error("a ring needs room for two strips of 32-bit elements and two bus words, got %0d bytes",
           RingBytes);
  end

  // Row of a bank that holds ring row `row` or, if that is in the other bank, the row after it.
  function automatic logic [BankBits-1:0] bank_row(logic [RingRowBits-1:0] row, logic odd_bank);
    logic [BankBits-1:0] pair;
    pair = row[RingRowBits-1:1];
    if (row[0] && !odd_bank) return pair == BankBits'(BankRows - 1) ? '0 : pair + 1'b1;
    return pair;
  endfunction

  // Write side: the word is rotated, by one power of two after the other, so that its bytes stand
  // at their offsets in a row.
  ring_address_t write_d, write_q;
  offset_t write_offset;
  logic [RingRowBits-1:0] write_row;
  word_offset_t turn;
  word_t word;
  bytes_t turned;
  logic [RowBytes-1:0] in_row, in_next, write_even, write_odd;

  always_comb begin
    write_offset = write_q[RowShift-1:0];
    write_row = write_q[RingBits-1:RowShift];
    turn = word_offset_t'(write_offset);
    word = data_i;
    for (int unsigned i = 0; i < WordShift; i++) begin
      if (turn[i]) word = word_t'({word, word} >> (AxiBits - (8 << i)));
    end
    turned = {RowBytes / AxiBytes{word}};  // where no byte belongs, none is written
    {in_next, in_row} = (2 * RowBytes)'(strobe_i) << write_offset;
    write_even = {RowBytes{write_i}} & (write_row[0] ? in_next : in_row);
    write_odd = {RowBytes{write_i}} & (write_row[0] ? in_row : in_next);
    write_d = write_q;
    if (write_i) write_d = ring_add(write_q, ring_address_t'(bytes_i));
    if (clear_i) write_d = '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) write_q <= '0;
    else write_q <= write_d;
  end

  // Read side: of the two rows, each byte is taken from the one that has it in the window, and all
  // are turned back.
  logic [RingRowBits-1:0] read_row;
  bytes_t even, odd, even_q, odd_q;
  logic odd_first_q;
  offset_t [1:0] read_offset_q;
  logic [RowBytes-1:0] from_odd_q;

  assign read_row = address_i[RingBits-1:RowShift];

  always_ff @(posedge clk_i) begin
    odd_first_q   <= read_row[0];
    read_offset_q <= {read_offset_q[0], address_i[RowShift-1:0]};
    even_q        <= even;
    odd_q         <= odd;
    for (int unsigned i = 0; i < RowBytes; i++) begin
      from_odd_q[i] <= (i < 32'(read_offset_q[0])) != odd_first_q;
    end
  end

  ram_1w1r #(
      .Words(BankRows),
      .Granules(RowBytes),
      .GranuleBits(8)
  ) u_even (
      .clk_i,
      .write_i        (write_even),
      .write_address_i(bank_row(write_row, 1'b0)),
      .write_data_i   (turned),
      .read_i,
      .read_address_i (bank_row(read_row, 1'b0)),
      .read_data_o    (even)
  );

  ram_1w1r #(
      .Words(BankRows),
      .Granules(RowBytes),
      .GranuleBits(8)
  ) u_odd (
      .clk_i,
      .write_i        (write_odd),
      .write_address_i(bank_row(write_row, 1'b1)),
      .write_data_i   (turned),
      .read_i,
      .read_address_i (bank_row(read_row, 1'b1)),
      .read_data_o    (odd)
  );

  bytes_t joined;
  always_comb begin
    for (int unsigned i = 0; i < RowBytes; i++) begin
      joined[i] = from_odd_q[i] ? odd_q[i] : even_q[i];
    end
    for (int unsigned i = 0; i < RowShift; i++) begin
      if (read_offset_q[1][i]) joined = bytes_t'({joined, joined} >> (8 << i));
    end
    window_o = joined[Lanes*LaneBytes-1:0];
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      if (write_i) begin
        assert (strobe_i == ~({AxiBytes{1'b1}} << bytes_i) && strobe_i[0])
        else $error("got %0d bytes of a bus word, marked by %b", bytes_i, strobe_i);
      end
    end
  end
`endif

endmodule
