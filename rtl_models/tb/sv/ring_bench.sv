// The ring of one input stream and a reader of windows, free running on random words.
//
// Words go in with random numbers of bytes at random phases, whenever there is room; windows of
// Lanes elements are read at random element phases among the bytes that are in the ring, and
// compared with a queue that holds the same bytes. run_i runs; element_shift_i is log2 of the bytes
// of an element.
module ring_bench
  import hwc_stream_pkg::*;
  import hwc_target_pkg::*;
(
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        run_i,
    input  logic        clear_i,
    input  logic [ 1:0] element_shift_i,
    output int unsigned checked_o,
    output int unsigned wrong_o,
    output int unsigned laps_o
);

  localparam int unsigned WindowBytes = Lanes * LaneBytes;

  // verilator lint_off BLKSEQ
  logic write;
  word_t data;
  word_count_t bytes;
  logic read;
  ring_address_t address;
  logic [WindowBytes-1:0][7:0] window;

  stream_ring u_dut (
      .clk_i,
      .rst_ni,
      .clear_i,
      .write_i  (write),
      .data_i   (data),
      .bytes_i  (bytes),
      .strobe_i (~({AxiBytes{1'b1}} << bytes)),
      .read_i   (read),
      .address_i(address),
      .window_o (window)
  );

  // The bytes in the ring by their address, and how many bytes there are.
  logic [7:0] model[RingCapacity];
  int unsigned head, held, size, distance, count;
  logic [1:0] check_q;
  logic [1:0][WindowBytes-1:0][7:0] expected_q;
  int unsigned valid_q[2];

  function automatic int unsigned choose(int unsigned limit);
    return $urandom() % limit;
  endfunction

  // Stimuli change away from the clock edge.
  always @(negedge clk_i or negedge rst_ni) begin
    write = 1'b0;
    read = 1'b0;
    if (rst_ni && run_i) begin
      size = 1 << element_shift_i;
      // A word, most of the time whole.
      for (int unsigned i = 0; i < AxiBytes; i++) data[8*i+:8] = 8'($urandom());
      count = choose(2) == 0 ? AxiBytes : (1 + choose(AxiBytes / size)) * size;
      bytes = word_count_t'(count);
      write = held + count <= RingCapacity && choose(8) != 0;
      // A window that starts at an element of the ring.
      if (held >= size && choose(8) != 0) begin
        distance = choose(held / size) * size;
        address = ring_address_t'((head + RingCapacity - held + distance) % RingCapacity);
        read = 1'b1;
      end
    end
  end

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head = 0;
      held = 0;
      check_q <= '0;
      checked_o <= 0;
      wrong_o <= 0;
      laps_o <= 0;
    end else begin
      if (check_q[1]) begin
        for (int unsigned i = 0; i < WindowBytes; i++) begin
          if (i < valid_q[1] && window[i] != expected_q[1][i]) wrong_o <= wrong_o + 1;
        end
        checked_o <= checked_o + 1;
      end
      check_q <= {check_q[0], read};
      expected_q[1] <= expected_q[0];
      valid_q[1] <= valid_q[0];
      if (read) begin
        for (int unsigned i = 0; i < WindowBytes; i++) begin
          expected_q[0][i] <= model[(32'(address)+i)%RingCapacity];
        end
        valid_q[0] <= held - distance < WindowBytes ? held - distance : WindowBytes;
      end
      if (write) begin
        for (int unsigned i = 0; i < 32'(bytes); i++) begin
          model[(head+i)%RingCapacity] = data[8*i+:8];
        end
        if (head + 32'(bytes) >= RingCapacity) laps_o <= laps_o + 1;
        head = (head + 32'(bytes)) % RingCapacity;
        held = held + 32'(bytes);
      end
      // Release some of the oldest bytes, more the fuller the ring is.
      if (choose(RingCapacity) < held) begin
        held = held - choose(held / size + 1) / 4 * size;
      end
      if (clear_i) begin
        head = 0;
        held = 0;
      end
    end
  end
  // verilator lint_on BLKSEQ

endmodule
