// The machine with its memory and a host, free running: commands come line by line from standard
// input, answers go to standard output, one line each, so that one process serves any number of
// dispatches. `memory` comes first. The PATH of a waveform is the rest of its line.
//
//   memory FILE BYTES       maps an open file, by its number, as the memory
//   base ADDRESS            puts memory at an address (hexadecimal); at first it is at 0
//   trace 0|1|2             tells what engines do in later runs, see below
//   wave PATH               writes a waveform from now on (builds with WAVES only)
//   stall SEED              a reset, and channels of memory hesitate at random from now on, 0: no
//                           more                                      -> `reset`
//   reset                   resets machine and memory's channels      -> `reset`
//   write ADDRESS VALUE     writes a register of the host (hexadecimal)        -> `wrote RESPONSE`
//   read ADDRESS            reads a register of the host              -> `value VALUE RESPONSE`
//   wait CYCLES IDLE        runs until the machine stops or interrupts, at most CYCLES cycles, or
//                           until nothing is transferred for IDLE cycles -> `stopped` or `running`,
//                           and on the way, now and then, `cycle CYCLES` since the run's start
//   quit
//
// A trace is lines `strip` on standard output with engine, kernel, stream, strip, phase, begin,
// end; kernels are counted from 0 in a run, times are cycles since its start. Of a fetch only the
// begin is known, and the end is the same. A line is written as soon as it is known, also if an
// assertion stops the simulation next. With 2, the lines of detail_trace come as well.
// The clock turns without end. The machine is in reset while reset_o is 1: main.cpp gives it back
// as rst_ni where the clock falls.
module machine_bench
  import hwc_isa_pkg::*;
  import hwc_target_pkg::*;
  import hwc_stream_pkg::*;
  import hwc_core_pkg::*;
(
    input  logic clk_i,
    input  logic rst_ni,
    output logic reset_o
);

  localparam int unsigned HostAddressBits = host_registers_pkg::HOST_REGISTERS_MIN_ADDR_WIDTH;
  localparam int unsigned ResetCycles = 2;
  localparam int unsigned TellingCycles = 1 << 16;
  localparam int StandardOutput = 32'h8000_0001;
  typedef logic [HostAddressBits-1:0] host_address_t;

  // Host.
  logic host_aw_valid, host_aw_ready, host_w_valid, host_w_ready, host_b_valid, host_b_ready;
  logic host_ar_valid, host_ar_ready, host_r_valid, host_r_ready;
  host_address_t host_address;
  logic [HostBits-1:0] host_w_data, host_r_data;
  logic [1:0] host_b_response, host_r_response;

  // Memory.
  logic ar_valid, ar_ready, r_valid, r_ready, r_last, aw_valid, aw_ready;
  logic w_valid, w_ready, w_last, b_valid, b_ready;
  address_t ar_address, aw_address;
  logic [7:0] ar_length, aw_length;
  word_t r_data, w_data;
  strobe_t w_strobe;
  logic [1:0] r_response, b_response;
  logic [31:0] random_q, seed;
  longint unsigned base;
  logic [4:0] stall;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) random_q <= seed;
    else random_q <= {random_q[30:0], random_q[31] ^ random_q[21] ^ random_q[1] ^ random_q[0]};
  end
  // Two bits each, from bits that lie far apart; 0 stays 0.
  always_comb begin
    for (int unsigned i = 0; i < 5; i++) stall[i] = random_q[5*i] | random_q[4*i+7];
  end

  // What bursts say of themselves is the same for all, and checked (axi_burst_checker).
  machine u_machine (
      .clk_i            (clk_i),
      .rst_ni           (rst_ni),
      .host_aw_valid_i  (host_aw_valid),
      .host_aw_ready_o  (host_aw_ready),
      .host_aw_address_i(host_address),
      .host_aw_prot_i   ('0),
      .host_w_valid_i   (host_w_valid),
      .host_w_ready_o   (host_w_ready),
      .host_w_data_i    (host_w_data),
      .host_w_strobe_i  ('1),
      .host_b_valid_o   (host_b_valid),
      .host_b_ready_i   (host_b_ready),
      .host_b_response_o(host_b_response),
      .host_ar_valid_i  (host_ar_valid),
      .host_ar_ready_o  (host_ar_ready),
      .host_ar_address_i(host_address),
      .host_ar_prot_i   ('0),
      .host_r_valid_o   (host_r_valid),
      .host_r_ready_i   (host_r_ready),
      .host_r_data_o    (host_r_data),
      .host_r_response_o(host_r_response),
      .irq_o            (irq),
      .ar_valid_o       (ar_valid),
      .ar_ready_i       (ar_ready),
      .ar_id_o          (),
      .ar_address_o     (ar_address),
      .ar_length_o      (ar_length),
      .ar_size_o        (),
      .ar_burst_o       (),
      .ar_lock_o        (),
      .ar_cache_o       (),
      .ar_prot_o        (),
      .ar_qos_o         (),
      .r_valid_i        (r_valid),
      .r_ready_o        (r_ready),
      .r_id_i           ('0),
      .r_data_i         (r_data),
      .r_response_i     (r_response),
      .r_last_i         (r_last),
      .aw_valid_o       (aw_valid),
      .aw_ready_i       (aw_ready),
      .aw_id_o          (),
      .aw_address_o     (aw_address),
      .aw_length_o      (aw_length),
      .aw_size_o        (),
      .aw_burst_o       (),
      .aw_lock_o        (),
      .aw_cache_o       (),
      .aw_prot_o        (),
      .aw_qos_o         (),
      .w_valid_o        (w_valid),
      .w_ready_i        (w_ready),
      .w_data_o         (w_data),
      .w_strobe_o       (w_strobe),
      .w_last_o         (w_last),
      .b_valid_i        (b_valid),
      .b_ready_o        (b_ready),
      .b_id_i           ('0),
      .b_response_i     (b_response)
  );

  axi_memory_model #(
      .AddressBits(AddressBits),
      .DataBits   (AxiBits),
      .Latency    (MemoryLatency)
  ) u_memory (
      .clk_i       (clk_i),
      .rst_ni      (rst_ni),
      .base_i      (base),
      .stall_i     (stall),
      .ar_valid_i  (ar_valid),
      .ar_ready_o  (ar_ready),
      .ar_address_i(ar_address),
      .ar_length_i (ar_length),
      .r_valid_o   (r_valid),
      .r_ready_i   (r_ready),
      .r_data_o    (r_data),
      .r_response_o(r_response),
      .r_last_o    (r_last),
      .aw_valid_i  (aw_valid),
      .aw_ready_o  (aw_ready),
      .aw_address_i(aw_address),
      .aw_length_i (aw_length),
      .w_valid_i   (w_valid),
      .w_ready_o   (w_ready),
      .w_data_i    (w_data),
      .w_strobe_i  (w_strobe),
      .w_last_i    (w_last),
      .b_valid_o   (b_valid),
      .b_ready_i   (b_ready),
      .b_response_o(b_response)
  );

  machine_checks u_checks ();

  // The rest is a program.
  // verilator lint_off BLKSEQ

  task automatic do_reset();
    host_aw_valid = 1'b0;
    host_w_valid = 1'b0;
    host_b_ready = 1'b0;
    host_ar_valid = 1'b0;
    host_r_ready = 1'b0;
    host_address = '0;
    host_w_data = '0;
    @(negedge clk_i);
    reset_o = 1'b1;
    repeat (ResetCycles) @(negedge clk_i);
    reset_o = 1'b0;
  endtask

  // The host changes its signals where the clock falls, and looks at what is ready where it rises.
  task automatic write_register(input host_address_t address, input logic [HostBits-1:0] value,
                                output logic [1:0] response);
    host_address = address;
    host_w_data = value;
    host_aw_valid = 1'b1;
    host_w_valid = 1'b1;
    host_b_ready = 1'b1;
    while (host_aw_valid || host_w_valid) begin
      logic aw_taken, w_taken;
      @(posedge clk_i);
      aw_taken = host_aw_ready;
      w_taken = host_w_ready;
      @(negedge clk_i);
      if (aw_taken) host_aw_valid = 1'b0;
      if (w_taken) host_w_valid = 1'b0;
    end
    while (!host_b_valid) @(negedge clk_i);
    response = host_b_response;
    @(negedge clk_i);
    host_b_ready = 1'b0;
  endtask

  task automatic read_register(input host_address_t address, output logic [HostBits-1:0] value,
                               output logic [1:0] response);
    logic taken;
    host_address = address;
    host_ar_valid = 1'b1;
    host_r_ready = 1'b1;
    while (host_ar_valid) begin
      @(posedge clk_i);
      taken = host_ar_ready;
      @(negedge clk_i);
      if (taken) host_ar_valid = 1'b0;
    end
    while (!host_r_valid) @(negedge clk_i);
    value = host_r_data;
    response = host_r_response;
    @(negedge clk_i);
    host_r_ready = 1'b0;
  endtask

  int unsigned now_q;  // cycles since the start, as the counter counts them
  logic running, busy_queue, irq;
  assign running = u_machine.u_control.running;
  assign busy_queue = u_machine.u_control.u_host.busy;

  task automatic wait_stopped(input longint unsigned cycles, input longint unsigned idle_cycles);
    longint unsigned left, idle;
    left = cycles;
    idle = idle_cycles;
    while (busy_queue && !irq && left != 0 && idle != 0) begin
      @(negedge clk_i);
      left--;
      if (running && now_q != 0 && now_q % TellingCycles == 0) begin
        $display("cycle %0d", now_q);
        $fflush(StandardOutput);
      end
      idle = r_valid || w_valid || !rst_ni ? idle_cycles : idle - 1;
    end
  endtask

  // Commands.
  localparam int StandardInput = 32'h8000_0000;
  string line, command, path;
  host_address_t address;
  logic [HostBits-1:0] value;
  logic [1:0] response;
  longint unsigned first, count;
  int number;
  // The number of fields is not checked: the session always sends complete commands.
  // verilator lint_off UNUSEDSIGNAL
  int got;
  // verilator lint_on UNUSEDSIGNAL
  int trace;

  initial begin
    reset_o = 1'b1;
    seed = '0;
    base = 0;
    trace = 0;
    do_reset();
    while ($fgets(line, StandardInput) != 0) begin
      got = $sscanf(line, "%s", command);
      case (command)
        "memory": begin
          got = $sscanf(line, "%s %d %d", command, number, count);
          u_memory.map(number, count);
        end
        "base": got = $sscanf(line, "%s %h", command, base);
        "trace": got = $sscanf(line, "%s %d", command, trace);
        "wave": begin
`ifdef WAVES
          path = line.substr(5, line.len() - 2);  // without `wave ` and the line's end
          $dumpfile(path);
          $dumpvars(0, machine_bench);
`endif
        end
        "stall": begin
          got = $sscanf(line, "%s %d", command, seed);
          do_reset();
          $display("reset");
        end
        "reset": begin
          do_reset();
          $display("reset");
        end
        "write": begin
          got = $sscanf(line, "%s %h %h", command, address, value);
          write_register(address, value, response);
          $display("wrote %0d", response);
        end
        "read": begin
          got = $sscanf(line, "%s %h", command, address);
          read_register(address, value, response);
          $display("value %h %0d", value, response);
        end
        "wait": begin
          got = $sscanf(line, "%s %d %d", command, first, count);
          wait_stopped(first, count);
          $display("%s", busy_queue ? "running" : "stopped");
        end
        "quit": break;
        default: $fatal(1, "unknown command: %s", line);
      endcase
      $fflush(StandardOutput);
    end
    $finish(0);
  end

  // Trace.
  logic [InputStreams-1:0] in_strip_q, strip_done, busy;
  logic in_store_q;
  int unsigned fetch_strip, store_strip, store_begin;
  int unsigned fetch_kernel, broadcast_kernel, pipe_kernel, store_kernel;  // that have started
  int unsigned broadcast_strip[InputStreams], broadcast_begin[InputStreams];

  for (genvar i = 0; i < InputStreams; i++) begin : gen_strip_done
    assign strip_done[i] = u_machine.u_inputs.gen_streams[i].u_stream.strip_done;
  end
  assign busy = u_machine.broadcast_busy;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      now_q      <= 0;
      in_strip_q <= '0;
      in_store_q <= 1'b0;
    end else begin
      now_q      <= running ? now_q + 1 : 0;
      in_strip_q <= (in_strip_q | busy) & ~strip_done;
      in_store_q <= (in_store_q || u_machine.store_busy) && !u_machine.strip_stored;
    end
  end

  task automatic entry(string engine, int unsigned kernel, int unsigned stream,
                       int unsigned strip, int unsigned begins, int unsigned ends,
                       int unsigned phase = 0);
    if (trace == 0) return;
    $display("strip %s %0d %0d %0d %0d %0d %0d", engine, kernel, stream, strip, phase, begins,
             ends);
    $fflush(StandardOutput);
  endtask

  // The ports of the vector pipe: lanes, special functions.
  logic part_done[PipePorts];
  int unsigned part_strip[PipePorts], part_phase[PipePorts];
  int unsigned part_begin[PipePorts], part_end[PipePorts];

  port_trace u_lane_trace (
      .clk_i,
      .kernel_start_i(u_machine.pipe_start),
      .begin_i       (u_machine.u_pipe.u_issue.u_lanes.begin_o),
      .phase_i       (u_machine.u_pipe.lane_operation.phase),
      .end_i         (u_machine.u_pipe.u_issue.u_lanes.part_end),
      .now_i         (now_q),
      .done_o        (part_done[0]),
      .strip_o       (part_strip[0]),
      .phase_o       (part_phase[0]),
      .begin_o       (part_begin[0]),
      .end_o         (part_end[0])
  );

  port_trace u_special_trace (
      .clk_i,
      .kernel_start_i(u_machine.pipe_start),
      .begin_i       (u_machine.u_pipe.u_issue.u_special.begin_o),
      .phase_i       (u_machine.u_pipe.special_operation.phase),
      .end_i         (u_machine.u_pipe.u_issue.u_special.part_end),
      .now_i         (now_q),
      .done_o        (part_done[1]),
      .strip_o       (part_strip[1]),
      .phase_o       (part_phase[1]),
      .begin_o       (part_begin[1]),
      .end_o         (part_end[1])
  );

  always @(posedge clk_i) begin
    if (!running) begin
      fetch_kernel = 0;
      broadcast_kernel = 0;
      pipe_kernel = 0;
      store_kernel = 0;
    end
    if (u_machine.fetch_go) begin
      fetch_strip = 0;
      fetch_kernel++;
    end
    if (u_machine.broadcast_go) begin
      for (int unsigned i = 0; i < InputStreams; i++) broadcast_strip[i] = 0;
      broadcast_kernel++;
    end
    if (u_machine.pipe_go) pipe_kernel++;
    if (u_machine.store_go) begin
      store_strip = 0;
      store_kernel++;
    end
    if (u_machine.u_inputs.take) begin
      entry("fetch", fetch_kernel - 1, 0, fetch_strip, now_q, now_q);
      fetch_strip++;
    end
    for (int unsigned i = 0; i < InputStreams; i++) begin
      if (busy[i] && !in_strip_q[i]) broadcast_begin[i] = now_q;
      if (strip_done[i]) begin
        entry("broadcast", broadcast_kernel - 1, 32'(InputFirst) + i, broadcast_strip[i],
              broadcast_begin[i], now_q + 1);
        broadcast_strip[i]++;
      end
    end
    for (int unsigned i = 0; i < PipePorts; i++) begin
      if (part_done[i]) begin
        entry(i == 0 ? "lane" : "special", pipe_kernel - 1, 0, part_strip[i], part_begin[i],
              part_end[i], part_phase[i]);
      end
    end
    if (u_machine.store_busy && !in_store_q) store_begin = now_q;
    if (u_machine.strip_stored) begin
      entry("store", store_kernel - 1, 0, store_strip, store_begin, now_q + 1);
      store_strip++;
    end
  end

  // verilator lint_on BLKSEQ

  detail_trace u_detail_trace (
      .clk_i,
      .enable_i (trace == 2),
      .running_i(running),
      .now_i    (now_q)
  );

endmodule
