// Checks the rules of AXI4 and of the machine on the machine's side of its bus; an error stops the
// simulation:
//   - nothing is valid during a reset;
//   - a valid transfer stays unchanged until it is taken;
//   - bursts are of whole bus words, of at most BurstBeats beats, and within 4 KiB;
//   - the last word of a write burst is where its address said, and every word writes something,
//     unless an abort drains the bus: then none does;
//   - at most Outstanding read bursts wait for their first beat;
//   - while the machine does not run, its bus is at rest: every burst of a run has all its beats
//     or its response before the machine says that it has stopped.
// Words of a write burst may come before its address, as AXI4 allows.
module axi_checker
  import hwc_stream_pkg::*;
  import hwc_target_pkg::*;
(
    input logic           clk_i,
    input logic           rst_ni,
    input logic           running_i,
    input logic           draining_i,
    input logic           ar_valid_i,
    input logic           ar_ready_i,
    input address_t       ar_address_i,
    input logic     [7:0] ar_length_i,
    input logic           r_valid_i,
    input logic           r_ready_i,
    input logic           r_last_i,
    input logic           aw_valid_i,
    input logic           aw_ready_i,
    input address_t       aw_address_i,
    input logic     [7:0] aw_length_i,
    input logic           w_valid_i,
    input logic           w_ready_i,
    input word_t          w_data_i,
    input strobe_t        w_strobe_i,
    input logic           w_last_i,
    input logic           b_valid_i,
    input logic           b_ready_i
);

  localparam int unsigned PageBytes = 4096;

  default clocking @(posedge clk_i);
  endclocking

  // From the second cycle of a reset on: before its first, registers may hold anything.
  assert property (!rst_ni |=> rst_ni || !(ar_valid_i || aw_valid_i || w_valid_i))
  else $error("something is valid during a reset");

  // Transfers hold until they are taken.
  default disable iff (!rst_ni);

  assert property (ar_valid_i && !ar_ready_i |=>
                   ar_valid_i && $stable(ar_address_i) && $stable(ar_length_i))
  else $error("a read address went away or changed before it was taken");

  assert property (aw_valid_i && !aw_ready_i |=>
                   aw_valid_i && $stable(aw_address_i) && $stable(aw_length_i))
  else $error("a write address went away or changed before it was taken");

  assert property (w_valid_i && !w_ready_i |=> w_valid_i && $stable(w_data_i)
                   && $stable(w_strobe_i) && $stable(w_last_i))
  else $error("a word to write went away or changed before it was taken");

  // Shape of a burst, from its offset in the page.
  typedef logic [$clog2(PageBytes)-1:0] page_offset_t;

  function automatic logic legal(page_offset_t offset, logic [7:0] length);
    int unsigned burst_beats;
    burst_beats = 32'(length) + 1;
    return 32'(offset) % AxiBytes == 0 && burst_beats <= BurstBeats
        && 32'(offset) + burst_beats * AxiBytes <= PageBytes;
  endfunction

  assert property (ar_valid_i |-> legal(page_offset_t'(ar_address_i), ar_length_i))
  else $error("no read burst of the machine: %h, %0d beats", ar_address_i, 32'(ar_length_i) + 1);

  assert property (aw_valid_i |-> legal(page_offset_t'(aw_address_i), aw_length_i))
  else $error("no write burst of the machine: %h, %0d beats", aw_address_i, 32'(aw_length_i) + 1);

  assert property (w_valid_i && !draining_i |-> w_strobe_i != '0)
  else $error("got a word without a strobe");

  // The first may have been offered before.
  assert property (draining_i && $past(draining_i) && w_valid_i && !$past(w_valid_i && !w_ready_i)
                   |-> w_strobe_i == '0)
  else $error("got a word that writes after an abort");

  // Transfers on the way.
  int unsigned open_reads, waiting_reads, open_writes, beats;
  int unsigned addressed[$], written[$];  // beats of write bursts, by address and by last word
  logic first_beat;

  // The rest is a program: it runs once per clock.
  // verilator lint_off BLKSEQ
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_reads = 0;
      waiting_reads = 0;
      open_writes = 0;
      beats = 0;
      first_beat = 1'b1;
      addressed.delete();
      written.delete();
    end else begin
      if (ar_valid_i && ar_ready_i) begin
        open_reads++;
        waiting_reads++;
      end
      if (r_valid_i && r_ready_i) begin
        if (first_beat) waiting_reads--;
        if (r_last_i) open_reads--;
        first_beat = r_last_i;
      end
      assert (waiting_reads <= Outstanding)
      else $error("%0d read bursts wait for their first beat", waiting_reads);

      if (aw_valid_i && aw_ready_i) begin
        open_writes++;
        addressed.push_back(32'(aw_length_i) + 1);
      end
      if (w_valid_i && w_ready_i) begin
        beats++;
        if (w_last_i) begin
          written.push_back(beats);
          beats = 0;
        end
      end
      if (addressed.size() != 0 && written.size() != 0) begin
        assert (addressed[0] == written[0])
        else $error("a write burst of %0d beats has its last at %0d", addressed[0], written[0]);
        void'(addressed.pop_front());
        void'(written.pop_front());
      end
      if (b_valid_i && b_ready_i) open_writes--;

      if (!running_i) begin
        assert (open_reads == 0 && open_writes == 0 && beats == 0 && addressed.size() == 0
                && written.size() == 0 && !ar_valid_i && !aw_valid_i && !w_valid_i)
        else begin
          $error("stopped with %0d reads and %0d writes on the way", open_reads, open_writes);
        end
      end
    end
  end
  // verilator lint_on BLKSEQ

endmodule
