// Plays a file of operand sets into an arithmetic unit and compares every result, one set a cycle.
//
// The macro UNIT names the unit; its Depth is the bench's. The file (plusarg +vectors=PATH) is a
// row of records of five big-endian 32-bit words: {valid, opcode}, a, b, c, expected result. A
// record without its valid bit is an idle cycle with whatever operands it holds. The unit's valid_o
// is checked in every cycle, so a result that is early, late or missing is seen as well.
//
// The file starts anew with every reset; done_o rises when the last result has been checked.
// The testbench does nothing in between.
module unit_bench #(
    parameter int unsigned Depth = 1
) (
    input  logic clk_i,
    input  logic rst_ni,
    output logic done_o
);
  import hwc_vector_pkg::*;

  typedef struct packed {
    logic valid;
    logic [22:0] unused;
    logic [7:0] opcode;
    lane_t a;
    lane_t b;
    lane_t c;
    lane_t expected;
  } record_t;

  localparam int unsigned RecordWords = $bits(record_t) / 32;

  // Player.
  string path;
  int file;
  record_t record;
  logic at_end;

  initial begin
    if (!$value$plusargs("vectors=%s", path)) $fatal(1, "plusarg +vectors=PATH is missing");
    file = $fopen(path, "rb");
    if (file == 0) $fatal(1, "cannot open %s", path);
  end

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      record <= '0;
      at_end <= 1'b0;
      void'($rewind(file));
    end else begin
      logic [31:0] words[RecordWords];
      if (!at_end && $fread(words, file) == 4 * RecordWords) begin
        record <= {words[0], words[1], words[2], words[3], words[4]};
      end else begin
        record.valid <= 1'b0;
        at_end <= 1'b1;
      end
    end
  end

  // The unit.
  logic  valid;
  lane_t result;
  // verilator lint_off UNUSEDSIGNAL
  hwc_isa_pkg::instruction_t info;  // the operation alone
  // verilator lint_on UNUSEDSIGNAL
  assign info = hwc_isa_pkg::instruction(record.opcode);

  `UNIT #(
      .Depth(Depth)
  ) u_dut (
      .clk_i     (clk_i),
      .rst_ni    (rst_ni),
      .valid_i   (record.valid),
      .operands_i('{op: info.op, form: fused_form(info.op), a: record.a, b: record.b, c: record.c}),
      .valid_o   (valid),
      .result_o  (result)
  );

  // Checker. `in_flight[Depth]` is the record whose result shows now.
  record_t in_flight[Depth+1];
  logic [Depth:0] end_in_flight;
  int unsigned checked;
  int unsigned wrong_results;
  int unsigned wrong_cycles;
  record_t first_wrong;
  lane_t first_wrong_result;

  always_comb begin
    in_flight[0] = record;
    end_in_flight[0] = at_end;
  end

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int unsigned i = 1; i <= Depth; i++) in_flight[i] <= '0;
      end_in_flight[Depth:1] <= '0;
      checked <= 0;
      wrong_results <= 0;
      wrong_cycles <= 0;
      first_wrong <= '0;
      first_wrong_result <= '0;
      done_o <= 1'b0;
    end else begin
      for (int unsigned i = 1; i <= Depth; i++) in_flight[i] <= in_flight[i-1];
      end_in_flight[Depth:1] <= end_in_flight[Depth-1:0];
      if (end_in_flight[Depth]) done_o <= 1'b1;
      if (valid != in_flight[Depth].valid) begin
        wrong_cycles <= wrong_cycles + 1;
      end else if (valid) begin
        checked <= checked + 1;
        if (result != in_flight[Depth].expected) begin
          wrong_results <= wrong_results + 1;
          if (wrong_results == 0) begin
            first_wrong <= in_flight[Depth];
            first_wrong_result <= result;
          end
        end
      end
    end
  end

endmodule
