// Compares the rows that the pipe gets with the rows of a file: the rows of all inputs in use,
// input after input, big-endian (the last lane first).
//
// clear_i sets the counts to 0; the next row in the file is the kernel's first then.
module row_checker
  import hwc_stream_pkg::*;
  import hwc_target_pkg::*;
(
    input  logic                             clk_i,
    input  logic                             clear_i,
    input  int                               file_i,
    input  logic                             check_i,
    input  strip_points_t                    points_i,  // of the strip from this row on
    input  logic          [InputStreams-1:0] used_i,
    input  row_t          [InputStreams-1:0] rows_i,
    output int unsigned                      checked_o,
    output int unsigned                      wrong_o
);

  // The rest is a program: it runs once per clock.
  // verilator lint_off BLKSEQ
  localparam int unsigned Shown = 4;

  lane_t expected[Lanes];

  task automatic check(int unsigned stream);
    void'($fread(expected, file_i));
    for (int unsigned lane = 0; lane < Lanes; lane++) begin
      if (lane < 32'(points_i) && rows_i[stream][lane] != expected[Lanes-1-lane]) begin
        wrong_o++;
        if (wrong_o < Shown) begin
          $display("stream %0d row %0d lane %0d: got %h, expected %h", stream,
                   checked_o / $countones(used_i), lane, rows_i[stream][lane],
                   expected[Lanes-1-lane]);
        end
      end
    end
    checked_o++;
  endtask

  always @(posedge clk_i) begin
    if (clear_i) begin
      checked_o = 0;
      wrong_o   = 0;
    end
    for (int unsigned i = 0; i < InputStreams; i++) begin
      if (check_i && used_i[i]) check(i);
    end
  end
  // verilator lint_on BLKSEQ

endmodule
