// A port of the vector pipe: issues part after part, their instructions one at a time, a beat per
// cycle. A part is a segment of lane instructions or a group of special ones.
//
// Timing: a part begins with its first beat (begin_o), in the first cycle with may_begin_i in which
// the part before is over. Within it an instruction begins when the one before has issued its last
// beat and its sources are ready (scoreboard). The part is over after its last beat, and Hold
// cycles after the begin of its last instruction at the earliest; strip_end_o is high in the last
// cycle of a strip's last part. next_rows_o are the rows that a beat in the next cycle reads.
module issue_port
  import hwc_isa_pkg::*;
  import hwc_target_pkg::*;
  import hwc_stream_pkg::*;
  import hwc_core_pkg::*;
  import hwc_pipe_pkg::*;
#(
    parameter int unsigned Rate = Lanes,                // points of a beat
    parameter operand_t RegisterFirst = VectorFirst,    // registers that it writes
    parameter int unsigned Registers = VectorRegisters,
    parameter int unsigned Latency = MachineLane,
    parameter int unsigned Hold = MachineLane
) (
    input  logic            clk_i,
    input  logic            rst_ni,
    input  strip_points_t   last_points_i,      // of the last strip
    input  logic            operation_valid_i,
    input  body_operation_t operation_i,
    // verilator lint_off UNUSEDSIGNAL
    input  body_operation_t next_i,             // its rows alone
    // verilator lint_on UNUSEDSIGNAL
    output logic            take_o,
    input  logic            may_begin_i,        // the part of operation_i
    output logic            begin_o,
    output logic            active_o,           // in a part
    output logic            instruction_o,      // an instruction begins
    output logic            beat_o,
    output port_beat_t      beat_data_o,
    output next_rows_t      next_rows_o,
    output logic            strip_end_o
);

  typedef logic [$clog2(Hold+1)-1:0] hold_t;

  logic active_d, active_q, issued_all_d, issued_all_q, begun_d, begun_q;
  logic ends_strip_d, ends_strip_q;
  logic sources_ready, continues, last_of_operation, last_d, last_q, last_beat, part_end;
  logic one_beat, last_one_beat_q;  // the instruction has, one of the last strip has
  strip_points_t points, issued, issued_d, issued_q;
  hold_t hold_d, hold_q;  // cycles that the part lasts, besides this one

  scoreboard #(
      .Registers(Registers),
      .Latency  (Latency)
  ) u_scoreboard (
      .clk_i,
      .rst_ni,
      .reads_i (operation_i.reads[Registers-1:0]),
      .writes_i(operation_i.writes[Registers-1:0]),
      .part_i  (begin_o),
      .begin_i (instruction_o),
      .ready_o (sources_ready)
  );

  // Beats. `issued` counts the points of the strip before this beat; last_q says of the next one
  // that it is the instruction's last.
  always_comb begin
    // Whether a part begins comes last. Of its first instruction, no beat was before.
    begin_o = !active_q && operation_valid_i && may_begin_i;
    active_o = active_q || begin_o;
    continues = active_q && !issued_all_q && (begun_q || sources_ready);
    beat_o = begin_o || continues;
    instruction_o = begin_o || (continues && !begun_q);

    points = operation_i.last_strip ? last_points_i : strip_points_t'(Vlen);
    issued = begun_q ? issued_q : '0;
    one_beat = operation_i.last_strip ? last_one_beat_q : Vlen <= Rate;
    last_of_operation = begun_q ? last_q : one_beat;
    last_d = points - issued <= strip_points_t'(2 * Rate);
    take_o = begin_o ? one_beat : continues && last_of_operation;
    last_beat = take_o && operation_i.last;
    begun_d = beat_o ? !last_of_operation : begun_q;
    issued_d = beat_o ? issued + strip_points_t'(Rate) : issued_q;
  end

  // The end of the part. One that holds the port for more than a cycle does not end with the begin
  // of an instruction, so that its end need not wait to see whether there is one.
  always_comb begin
    hold_d = hold_q == '0 ? '0 : hold_q - 1'b1;
    if (instruction_o) hold_d = hold_t'(Hold - 1);
    issued_all_d = (issued_all_q || last_beat) && !part_end;
    active_d = active_o && !part_end;
    ends_strip_d = begin_o ? operation_i.ends_strip : ends_strip_q;
  end

  if (Hold > 1) begin : gen_hold
    logic held_q;  // hold_q is 1 or 0

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) held_q <= 1'b1;
      else held_q <= hold_d <= hold_t'(1);
    end

    assign part_end = held_q && (issued_all_q || (begun_q && last_q && operation_i.last));
    assign strip_end_o = part_end && ends_strip_q;
  end else begin : gen_no_hold
    assign part_end = issued_all_q || last_beat;
    assign strip_end_o = part_end && ends_strip_d;
  end

  // A beat after none reads what this one would have read.
  strip_points_t next_issued;

  always_comb begin
    next_issued = beat_o ? issued + strip_points_t'(Rate) : issued;
    next_rows_o.origins = take_o ? next_i.origins : operation_i.origins;
    next_rows_o.registers = take_o ? next_i.source_registers : operation_i.source_registers;
    next_rows_o.slot = take_o ? next_i.slot : operation_i.slot;
    next_rows_o.row = take_o ? '0 : strip_row_t'(next_issued >> LaneShift);
  end

  always_comb begin
    beat_data_o.operation = operation_i;
    beat_data_o.row = strip_row_t'(issued >> LaneShift);
    beat_data_o.part = Parts > 1 ? part_t'(issued >> RateShift) : '0;
    beat_data_o.ends_strip = last_beat && operation_i.ends_strip;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q     <= 1'b0;
      issued_all_q <= 1'b0;
      begun_q      <= 1'b0;
      hold_q       <= '0;
    end else begin
      active_q     <= active_d;
      issued_all_q <= issued_all_d;
      begun_q      <= begun_d;
      hold_q       <= hold_d;
    end
  end

  always_ff @(posedge clk_i) begin
    issued_q        <= issued_d;
    last_one_beat_q <= last_points_i <= strip_points_t'(Rate);
    if (beat_o) last_q <= last_d;
    ends_strip_q    <= ends_strip_d;
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      if (active_o && !issued_all_q) assert (operation_valid_i)
      else $error("an instruction of the body comes too late");
      if (begin_o) assert (!begun_q)
      else $error("a part begins within an instruction");
      if (instruction_o) begin
        assert (is_output(operation_i.destination)
                || 32'(operand_t'(operation_i.destination - RegisterFirst)) < Registers)
        else $error("a register that the port does not write");
      end
    end
  end
`endif

endmodule
