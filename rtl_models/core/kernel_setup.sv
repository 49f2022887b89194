// From `loop` to the first cycle of its kernel: takes the words of the body up to `end` or up to
// the first that is wrong, and waits for the shape unit.
//
// Timing: start_i takes the word `loop` in cycle t. From the next cycle on every word is taken as
// it comes. If the last is taken in cycle t + q and shapes_done_i is high from cycle t + s + 1 on,
// the kernel's first cycle is t + max(q, s) + MachineSetupStart, or later: MachineSetupStart - 1
// cycles after the first with fetch_free_i, and one after may_go_i. done_o is high in the cycle
// before; faulty_o, fault_o and fault_pc_o hold in that cycle: of the shapes first, then of the
// body. If there is a kernel, prepare_o is high StartLead + 1 cycles or more before its first.
// loop_pc_o and body_o hold up to done_o.
module kernel_setup
  import hwc_isa_pkg::*;
  import hwc_stream_pkg::*;
  import hwc_core_pkg::*;
(
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        clear_i,
    input  logic        start_i,
    input  stream_set_t configured_i,
    // The current word.
    input  logic        valid_i,
    input  pc_t         pc_i,
    input  logic        past_end_i,  // pc_i is after the program
    input  decoded_t    decoded_i,
    output logic        take_o,      // besides `loop`
    // The shape unit.
    input  logic        shapes_done_i,
    input  logic        shape_faulty_i,
    input  fault_t      shape_fault_i,
    input  size_t       points_i,
    // The kernel.
    input  logic        fetch_free_i,      // the fetch can take a kernel
    input  logic        may_go_i,        // its fetch can start
    output logic        prepare_o,      // the kernel is taken over
    output logic        leads_o,        // the streams are not looked at again
    output logic        done_o,
    output logic        runs_o,          // with done_o: there is a kernel
    output logic        faulty_o,
    output fault_t      fault_o,
    output pc_t         fault_pc_o,
    output pc_t         loop_pc_o,
    output body_order_t body_o
);

  // From the cycle after prepare_o to the kernel's first.
  localparam int unsigned StartLead = 15;
  typedef logic [$clog2(StartLead+1)-1:0] lead_t;

  if (MachineSetupStart != StartLead + 2) begin : gen_start_check
    $error("the engines start %0d cycles after a kernel's set-up, MachineSetupStart is %0d",
           StartLead + 2, MachineSetupStart);
  end

  typedef enum logic [1:0] {
    Idle,
    Body,
    Wait,   // for the shapes
    Lead    // the engines prepare themselves
  } state_e;

  state_e state_d, state_q;
  lead_t left_d, left_q;
  logic led_q;  // left_q is 1
  pc_t loop_pc_d, loop_pc_q;
  logic late_faulty_d, late_faulty_q;  // of the body
  fault_t late_fault_d, late_fault_q;
  pc_t late_pc_d, late_pc_q;
  logic some_points_q, faulty, runs;
  logic faulty_q, runs_q;  // settled while the engines prepare themselves
  logic body_take, body_end, body_bad;
  logic body_faulty;
  fault_e body_fault;

  body_check u_body (
      .clk_i,
      .rst_ni,
      .clear_i     (state_q == Idle),  // start_i comes late
      .configured_i(configured_i),
      .decoded_i   (decoded_i),
      .take_i      (body_take),
      .end_o       (body_end),
      .bad_o       (body_bad),
      .body_o
  );

  always_comb begin
    body_faulty = past_end_i || decoded_i.faulty || body_bad;
    body_fault = FaultBadStructure;
    if (!past_end_i && decoded_i.faulty) body_fault = decoded_i.fault;
  end

  always_comb begin
    state_d = state_q;
    left_d = left_q - 1'b1;
    loop_pc_d = loop_pc_q;
    late_faulty_d = late_faulty_q;
    late_fault_d = late_fault_q;
    late_pc_d = late_pc_q;
    prepare_o = 1'b0;
    body_take = 1'b0;
    take_o = 1'b0;
    done_o = 1'b0;

    unique case (state_q)
      Idle: begin
        if (start_i) state_d = Body;
        loop_pc_d = pc_i;
        late_faulty_d = 1'b0;
        late_fault_d = NoFault;
      end
      Body: begin
        if (valid_i) begin
          take_o = 1'b1;
          // What a faulty word leaves in the order of the body, no kernel sees.
          body_take = !body_end;
          if (body_faulty) begin
            state_d = Wait;
            late_faulty_d = 1'b1;
            late_fault_d.code = body_fault;
            late_pc_d = pc_i;
          end else if (body_end) begin
            state_d = Wait;
          end
        end
      end
      Wait: begin
        left_d = lead_t'(StartLead);
        if (shapes_done_i && (fetch_free_i || !runs)) begin
          state_d = Lead;
          prepare_o = runs;
        end
      end
      Lead: begin
        if (led_q) begin
          left_d = left_q;
          if (may_go_i || !runs_q) begin
            state_d = Idle;
            done_o = 1'b1;
          end
        end
      end
      default: state_d = Idle;
    endcase
    if (clear_i) state_d = Idle;
  end

  assign faulty = shape_faulty_i || late_faulty_q;
  assign runs = !faulty && some_points_q;
  assign faulty_o = faulty_q;

  always_comb begin
    fault_o = shape_fault_i;
    fault_pc_o = loop_pc_q;
    if (!shape_faulty_i && late_faulty_q) begin
      fault_o = late_fault_q;
      fault_pc_o = late_pc_q;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= Idle;
    else state_q <= state_d;
  end

  always_ff @(posedge clk_i) begin
    left_q        <= left_d;
    led_q         <= left_d == lead_t'(1);
    loop_pc_q     <= loop_pc_d;
    late_faulty_q <= late_faulty_d;
    late_fault_q  <= late_fault_d;
    late_pc_q     <= late_pc_d;
    some_points_q <= points_i != '0;  // which holds still before shapes_done_i
    faulty_q      <= faulty;
    runs_q        <= runs;
  end

  assign leads_o = state_q == Lead;
  assign runs_o = runs_q;
  assign loop_pc_o = loop_pc_q;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      if (start_i) assert (state_q == Idle)
      else $error("a loop within a loop");
      if (state_q == Wait && shapes_done_i && !shape_faulty_i) begin
        assert (some_points_q == (points_i != '0))
        else $error("the number of points changes as the shapes are done");
      end
      if (state_q == Lead) assert (shapes_done_i && faulty_q == faulty && runs_q == runs)
      else $error("the shapes change after they are done");
    end
  end
`endif

endmodule
