// Memory with an AXI4 port, the timing contract's partner: fixed latency, one beat a cycle, in
// order.
//
// Timing: a read burst whose address is taken in cycle t brings beat k in cycle t + Latency + k,
// later only if an earlier burst still has the channel. Addresses and words to write are always
// taken; the response of a write burst comes Latency cycles after its last word or its address, the
// later of the two. stall_i keeps a channel from starting anything new in this cycle: {ar, r, aw,
// w, b}. A burst outside of the memory reads 0 and gives a decode error; so does one that is
// written, without effect.
//
// Words are in `words`, the word at base_i first; base_i changes only between bursts. With
// HOST_MEMORY defined they are pages that the process of the host has as well
// (cpp/host_memory.cpp), of any number; `map` says which. Not synthesizable.
module axi_memory_model #(
    parameter int unsigned AddressBits = 32,
    parameter int unsigned DataBits = 64,
    parameter int unsigned Latency = 32,
    parameter int unsigned Words = 1024
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  longint unsigned        base_i,
    input  logic [            4:0] stall_i,
    input  logic                   ar_valid_i,
    output logic                   ar_ready_o,
    input  logic [AddressBits-1:0] ar_address_i,
    input  logic [            7:0] ar_length_i,
    output logic                   r_valid_o,
    input  logic                   r_ready_i,
    output logic [   DataBits-1:0] r_data_o,
    output logic [            1:0] r_response_o,
    output logic                   r_last_o,
    input  logic                   aw_valid_i,
    output logic                   aw_ready_o,
    input  logic [AddressBits-1:0] aw_address_i,
    input  logic [            7:0] aw_length_i,
    input  logic                   w_valid_i,
    output logic                   w_ready_o,
    input  logic [   DataBits-1:0] w_data_i,
    input  logic [ DataBits/8-1:0] w_strobe_i,
    input  logic                   w_last_i,
    output logic                   b_valid_o,
    input  logic                   b_ready_i,
    output logic [            1:0] b_response_o
);

  localparam int unsigned DataBytes = DataBits / 8;
  localparam logic [1:0] Okay = 2'b00;
  localparam logic [1:0] DecodeError = 2'b11;

  typedef struct {
    longint unsigned due;  // cycle of the first beat, or of the response
    longint unsigned word;
    int unsigned left;
    logic [1:0] response;
  } burst_t;

  typedef struct {
    logic [DataBits-1:0] data;
    logic [DataBytes-1:0] strobe;
    logic last;
    longint unsigned cycle;
  } write_word_t;

  longint unsigned count;  // of words

`ifdef HOST_MEMORY
  import "DPI-C" function void host_memory_map(input int descriptor, input longint unsigned nbytes);
  import "DPI-C" function void host_memory_read(input longint unsigned offset,
                                                input int unsigned nbytes,
                                                output bit [DataBits-1:0] word);
  import "DPI-C" function void host_memory_write(input longint unsigned offset,
                                                 input int unsigned nbytes,
                                                 input bit [DataBits-1:0] word,
                                                 input bit [DataBytes-1:0] strobe);

  initial count = 0;

  task automatic map(int descriptor, longint unsigned nbytes);
    host_memory_map(descriptor, nbytes);
    count = nbytes / 64'(DataBytes);
  endtask

  function automatic logic [DataBits-1:0] get(longint unsigned index);
    host_memory_read(index * 64'(DataBytes), DataBytes, get);
  endfunction

  task automatic store(longint unsigned index, write_word_t word);
    host_memory_write(index * 64'(DataBytes), DataBytes, word.data, word.strobe);
  endtask
`else
  localparam int unsigned IndexBits = $clog2(Words);
  logic [DataBits-1:0] words[Words];

  initial count = 64'(Words);

  function automatic logic [DataBits-1:0] get(longint unsigned index);
    return index < count ? words[IndexBits'(index)] : '0;
  endfunction

  task automatic store(longint unsigned index, write_word_t word);
    for (int unsigned i = 0; i < DataBytes; i++) begin
      if (index < count && word.strobe[i]) words[IndexBits'(index)][8*i+:8] = word.data[8*i+:8];
    end
  endtask
`endif

  // The rest is a program: it runs once per clock.
  // verilator lint_off BLKSEQ

  longint unsigned now;
  burst_t reads[$], writes[$], answers[$];
  write_word_t arrived[$];

  function automatic burst_t burst(logic [AddressBits-1:0] address, logic [7:0] length);
    burst_t result;
    result.due = now + longint'(Latency);
    result.word = (64'(address) - base_i) / 64'(DataBytes);
    result.left = 32'(length) + 1;
    result.response = 64'(address) >= base_i && result.word + 64'(result.left) <= count
        ? Okay : DecodeError;
    return result;
  endfunction

  // One word into the oldest write burst.
  task automatic put(write_word_t word);
    if (writes[0].response == Okay) store(writes[0].word, word);
    assert (word.last == (writes[0].left == 1))
    else $error("the last word of a write burst is not where its address said");
    writes[0].word = writes[0].word + 1;
    writes[0].left = writes[0].left - 1;
    if (writes[0].left == 0) begin
      burst_t done;
      done = writes.pop_front();
      done.due = (word.cycle > done.due - longint'(Latency) ? word.cycle
                                                            : done.due - longint'(Latency))
          + longint'(Latency);
      answers.push_back(done);
    end
  endtask

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      now = 0;
      reads.delete();
      writes.delete();
      answers.delete();
      arrived.delete();
      r_valid_o <= 1'b0;
      b_valid_o <= 1'b0;
    end else begin
      // What the cycle `now` that ends here brought.
      if (ar_valid_i && ar_ready_o) reads.push_back(burst(ar_address_i, ar_length_i));
      if (aw_valid_i && aw_ready_o) writes.push_back(burst(aw_address_i, aw_length_i));
      if (w_valid_i && w_ready_o) begin
        arrived.push_back('{data: w_data_i, strobe: w_strobe_i, last: w_last_i, cycle: now});
      end
      while (arrived.size() != 0 && writes.size() != 0) put(arrived.pop_front());
      if (r_valid_o && r_ready_i) begin
        reads[0].word = reads[0].word + 1;
        reads[0].left = reads[0].left - 1;
        if (reads[0].left == 0) void'(reads.pop_front());
      end
      if (b_valid_o && b_ready_i) void'(answers.pop_front());

      // What the next cycle shows.
      now = now + 1;
      if (!r_valid_o || r_ready_i) begin
        r_valid_o <= 1'b0;
        if (reads.size() != 0 && reads[0].due <= now && !stall_i[3]) begin
          r_valid_o <= 1'b1;
          r_data_o <= reads[0].response == Okay ? get(reads[0].word) : '0;
          r_response_o <= reads[0].response;
          r_last_o <= reads[0].left == 1;
        end
      end
      if (!b_valid_o || b_ready_i) begin
        b_valid_o <= 1'b0;
        if (answers.size() != 0 && answers[0].due <= now && !stall_i[0]) begin
          b_valid_o <= 1'b1;
          b_response_o <= answers[0].response;
        end
      end
    end
  end

  // verilator lint_on BLKSEQ

  assign ar_ready_o = !stall_i[4];
  assign aw_ready_o = !stall_i[2];
  assign w_ready_o = !stall_i[1];

endmodule
