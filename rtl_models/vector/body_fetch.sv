// Reads the body of a kernel again for every strip, ahead of the issue, and decodes it.
//
// Timing: with kernel_start_i in cycle t, operation_o is valid from cycle t + 3 on until the last
// instruction of the last strip is taken, even if one is taken in every cycle. kernel_i holds from
// kernel_start_i on; body_word_i is the word at body_pc_o of the last cycle with body_read_o.
module body_fetch
  import hwc_isa_pkg::*;
  import hwc_stream_pkg::*;
  import hwc_core_pkg::*;
  import hwc_pipe_pkg::*;
(
    input  logic              clk_i,
    input  logic              rst_ni,
    input  logic              kernel_start_i,
    input  kernel_t           kernel_i,
    output logic              body_read_o,
    output pc_t               body_pc_o,
    input  instruction_word_t body_word_i,
    output logic              valid_o,
    output body_operation_t        operation_o,
    input  logic              take_i
);

  // Three cycles pass between taking an instruction and having read the one that takes its room.
  localparam int unsigned Ahead = 4;
  localparam int unsigned AheadBits = $clog2(Ahead + 1);

  logic active_d, active_q, read, last, last_strip;
  pc_t index_d, index_q;
  strip_count_t strips_d, strips_q;  // that are not read to the end
  logic [AheadBits-1:0] room;

  pulse_counter #(
      .Bits   (AheadBits),
      .Initial(Ahead)
  ) u_room (
      .clk_i,
      .rst_ni,
      .clear_i(1'b0),
      .put_i  (take_i),
      .take_i (read),
      .count_o(room)
  );

  always_comb begin
    read = active_q && room != '0;
    last = index_q + 1'b1 == kernel_i.body_words;
    last_strip = strips_q == strip_count_t'(1);
    active_d = active_q;
    index_d = index_q;
    strips_d = strips_q;
    if (read) begin
      index_d = last ? '0 : index_q + 1'b1;
      strips_d = strips_q - strip_count_t'(last);
      if (last && last_strip) active_d = 1'b0;
    end
    if (kernel_start_i) begin
      active_d = 1'b1;
      index_d = '0;
      strips_d = strips_of(kernel_i.points);
    end
  end

  assign body_read_o = read;
  assign body_pc_o = kernel_i.body_first + index_q;

  // The word that was read.
  logic read_q, last_q, last_strip_q, ready;
  vector_word_t word;
  // verilator lint_off UNUSEDSIGNAL
  instruction_t info;  // the sequencer has checked the word
  // verilator lint_on UNUSEDSIGNAL
  body_operation_t operation;

  always_comb begin
    word = body_word_i;
    info = instruction(word.opcode);
    operation.op = info.op;
    operation.unit = info.unit;
    operation.latency = latency_t'(unit_latency(info.unit));
    operation.special = unit_is_special(info.unit);
    operation.destination = word.dst;
    operation.sources = {word.c, word.b, word.a};
    for (int unsigned i = 0; i < Sources; i++) operation.used[i] = 32'(info.sources) > i;
    operation.immediate = word.imm;
    operation.last = last_q;
    operation.last_strip = last_strip_q;
  end

  fifo #(
      .data_t(body_operation_t),
      .Depth (Ahead)
  ) u_operations (
      .clk_i,
      .rst_ni,
      .valid_i(read_q),
      .ready_o(ready),
      .data_i (operation),
      .valid_o,
      .ready_i(take_i),
      .data_o (operation_o)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
      read_q   <= 1'b0;
    end else begin
      active_q <= active_d;
      read_q   <= read;
    end
  end

  always_ff @(posedge clk_i) begin
    index_q      <= index_d;
    strips_q     <= strips_d;
    last_q       <= last;
    last_strip_q <= last_strip;
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      if (read_q) assert (ready)
      else $error("got an instruction while there is no room");
      if (kernel_start_i) assert (!active_q && !read_q && !valid_o)
      else $error("a kernel begins before the last one is issued");
    end
  end
`endif

endmodule
