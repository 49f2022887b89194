// The cells that many modules are made of, several of each kind side by side, so that a bench can
// drive them: the types and sizes of cells are parameters.
module cells_bench #(
    localparam int unsigned Fifos = 4,
    localparam int unsigned Shifts = 2,
    localparam int unsigned Counters = 3,
    localparam int unsigned Delays = 6,
    localparam int unsigned CountBits = 5,
    localparam int unsigned CountInitial = 3
) (
    input  logic                               clk_i,
    input  logic                               rst_ni,
    // Queues of 1, 2, 5 and 17 words.
    input  logic [ Fifos-1:0]                  fifo_valid_i,
    output logic [ Fifos-1:0]                  fifo_ready_o,
    input  logic [ Fifos-1:0][           15:0] fifo_data_i,
    output logic [ Fifos-1:0]                  fifo_valid_o,
    input  logic [ Fifos-1:0]                  fifo_ready_i,
    output logic [ Fifos-1:0][           15:0] fifo_data_o,
    // Queues of 3 and 5 words with the two oldest in registers.
    input  logic [Shifts-1:0]                  shift_push_i,
    input  logic [Shifts-1:0][           15:0] shift_data_i,
    input  logic [Shifts-1:0]                  shift_take_i,
    output logic [Shifts-1:0]                  shift_some_o,
    output logic [Shifts-1:0][           15:0] shift_oldest_o,
    output logic [Shifts-1:0][           15:0] shift_next_o,
    // Delay lines of 0, 1, 3, 16, 17 and 50 stages with one input; three are memories.
    input  logic                               line_valid_i,
    input  logic [      15:0]                  line_data_i,
    output logic [Delays-1:0]                  line_valid_o,
    output logic [Delays-1:0][           15:0] line_data_o,
    // Counters whose pulses come 0, 1 and 3 cycles late.
    input  logic [Counters-1:0]                count_put_i,
    input  logic [Counters-1:0]                count_take_i,
    output logic [Counters-1:0]                count_some_o,
    output logic [Counters-1:0][CountBits-1:0] count_o,
    // A slice that cuts ready.
    input  logic                               slice_valid_i,
    output logic                               slice_ready_o,
    input  logic [      15:0]                  slice_data_i,
    output logic                               slice_valid_o,
    input  logic                               slice_ready_i,
    output logic [      15:0]                  slice_data_o
);

  localparam int unsigned Depth[Fifos] = '{1, 2, 5, 17};
  localparam int unsigned ShiftDepth[Shifts] = '{3, 5};
  localparam int unsigned Delay[Delays] = '{0, 1, 3, 16, 17, 50};

  for (genvar i = 0; i < Fifos; i++) begin : gen_fifos
    fifo #(
        .data_t(logic [15:0]),
        .Depth (Depth[i])
    ) u_fifo (
        .clk_i,
        .rst_ni,
        .valid_i(fifo_valid_i[i]),
        .ready_o(fifo_ready_o[i]),
        .data_i (fifo_data_i[i]),
        .valid_o(fifo_valid_o[i]),
        .ready_i(fifo_ready_i[i]),
        .data_o (fifo_data_o[i])
    );
  end

  for (genvar i = 0; i < Shifts; i++) begin : gen_shifts
    shift_queue #(
        .data_t(logic [15:0]),
        .Depth (ShiftDepth[i])
    ) u_queue (
        .clk_i,
        .rst_ni,
        .push_i  (shift_push_i[i]),
        .data_i  (shift_data_i[i]),
        .take_i  (shift_take_i[i]),
        .some_o  (shift_some_o[i]),
        .oldest_o(shift_oldest_o[i]),
        .next_o  (shift_next_o[i])
    );
  end

  for (genvar i = 0; i < Delays; i++) begin : gen_delays
    delay_line #(
        .data_t(logic [15:0]),
        .Stages(Delay[i])
    ) u_line (
        .clk_i,
        .rst_ni,
        .valid_i(line_valid_i),
        .data_i (line_data_i),
        .valid_o(line_valid_o[i]),
        .data_o (line_data_o[i])
    );
  end

  for (genvar i = 0; i < Counters; i++) begin : gen_counters
    pulse_counter #(
        .Bits   (CountBits),
        .Initial(CountInitial),
        .Delay  (Delay[i])
    ) u_counter (
        .clk_i,
        .rst_ni,
        .put_i  (count_put_i[i]),
        .take_i (count_take_i[i]),
        .some_o (count_some_o[i])
    );

    assign count_o[i] = u_counter.count_q;
  end

  ready_slice #(
      .data_t(logic [15:0])
  ) u_slice (
      .clk_i,
      .rst_ni,
      .valid_i(slice_valid_i),
      .ready_o(slice_ready_o),
      .data_i (slice_data_i),
      .valid_o(slice_valid_o),
      .ready_i(slice_ready_i),
      .data_o (slice_data_o)
  );

endmodule
