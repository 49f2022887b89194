// Brings a stream into canonical form: walks the dimensions from the innermost outwards, multiplies
// dimensions of one kind together, and opens a new level where a repeat follows data. A dimension
// is a repeat if the stream has size 1 in it and the iteration has not; iteration sizes of 1 are
// passed over. The stream's sizes are 1 or the iteration's.
//
// The held level is the outermost repeat whose block, the elements inside of it, fits the ring.
//
// Timing: start_i in cycle t; busy_o is high from cycle t + 1 for 1 cycle per dimension and 10 more
// for each whose iteration size is not 1. Then canonical_o holds until the next start_i. The inputs
// hold while busy.
module canonical_form
  import hwc_isa_pkg::*;
  import hwc_target_pkg::*;
  import hwc_stream_pkg::*;
  import hwc_core_pkg::*;
(
    input  logic                      clk_i,
    input  logic                      rst_ni,
    input  logic                      start_i,
    input  size_t       [RankMax-1:0] iteration_i,
    input  dimensions_t               ones_i,      // where the stream has size 1
    input  type_e                     element_type_i,
    output logic                      busy_o,
    output canonical_t                canonical_o
);

  typedef enum logic [1:0] {
    Idle,
    Look,
    Multiply
  } state_e;

  state_e state_d, state_q;
  dimension_t dimension_d, dimension_q;
  level_t level_d, level_q;
  logic inside_data_d, inside_data_q;
  logic zero_d, zero_q;                 // an iteration size is 0
  canonical_t form_d, form_q;

  // The dimension in hand.
  size_t size;
  logic repeats, start, opens;
  logic [HostBits-1:0] factor, product;
  size_t points;
  logic product_busy, product_overflow, points_busy, points_overflow;

  always_comb begin
    size = iteration_i[dimension_q];
    repeats = ones_i[dimension_q];
    start = state_q == Look && size != size_t'(1);
    opens = repeats && inside_data_q;
    factor = form_q.elements;
    if (repeats) factor = opens ? HostBits'(1) : HostBits'(form_q.repeats[level_q]);
  end

  serial_multiplier #(
      .Bits(HostBits)
  ) u_product (
      .clk_i,
      .rst_ni,
      .start_i   (start),
      .a_i       (factor),
      .b_i       (size),
      .busy_o    (product_busy),
      .product_o (product),
      .overflow_o(product_overflow)
  );

  serial_multiplier #(
      .Bits(SizeBits)
  ) u_points (
      .clk_i,
      .rst_ni,
      .start_i   (start),
      .a_i       (form_q.points),
      .b_i       (size),
      .busy_o    (points_busy),
      .product_o (points),
      .overflow_o(points_overflow)
  );

  localparam dimension_t LastDimension = dimension_t'(RankMax - 1);

  always_comb begin
    state_d = state_q;
    dimension_d = dimension_q;
    level_d = level_q;
    inside_data_d = inside_data_q;
    zero_d = zero_q;
    form_d = form_q;

    unique case (state_q)
      Idle: begin
        if (start_i) begin
          state_d = Look;
          dimension_d = LastDimension;
          level_d = '0;
          inside_data_d = 1'b0;
          zero_d = 1'b0;
          form_d = '0;
          form_d.dense = 1'b1;
          form_d.elements = HostBits'(1);
          form_d.points = size_t'(1);
          form_d.block_points = size_t'(1);
          for (int unsigned i = 0; i < RepeatLevels; i++) begin
            form_d.repeats[i] = size_t'(1);
            form_d.blocks[i] = size_t'(1);
          end
        end
      end
      Look: begin
        if (start) begin
          state_d = Multiply;
          inside_data_d = !repeats;
          if (repeats) form_d.dense = 1'b0;
          if (size == '0) begin
            zero_d = 1'b1;
            if (!repeats) form_d.empty = 1'b1;
          end
          if (opens) begin
            level_d = level_q + 1'b1;
            if (form_q.elements <= HostBits'(RingBytes) >> element_shift(element_type_i)) begin
              form_d.held = level_q + 1'b1;
            end
          end
        end else begin
          dimension_d = dimension_q - 1'b1;
          if (dimension_q == '0) state_d = Idle;
        end
      end
      Multiply: begin
        if (!product_busy && !points_busy) begin
          state_d = dimension_q == '0 ? Idle : Look;
          dimension_d = dimension_q - 1'b1;
          form_d.points = points;
          if (points_overflow) form_d.points_overflow = 1'b1;
          if (repeats) begin
            form_d.repeats[level_q] = size_t'(product);
          end else begin
            form_d.elements = product;
            if (product_overflow) form_d.elements_overflow = 1'b1;
            for (int unsigned i = 0; i < RepeatLevels; i++) begin
              if (level_t'(i) > level_q) form_d.blocks[i] = size_t'(product);
            end
          end
          // The block ends with the passes of level 1 or, if there are none, the data of level 0.
          if (level_q == '0 || (level_q == level_t'(1) && repeats)) form_d.block_points = points;
        end
      end
      default: state_d = Idle;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= Idle;
    else state_q <= state_d;
  end

  always_ff @(posedge clk_i) begin
    dimension_q   <= dimension_d;
    level_q       <= level_d;
    inside_data_q <= inside_data_d;
    zero_q        <= zero_d;
    form_q        <= form_d;
  end

  assign busy_o = state_q != Idle;

  always_comb begin
    canonical_o = form_q;
    canonical_o.points_overflow = form_q.points_overflow && !zero_q;
    if (zero_q) canonical_o.points = '0;
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      if (start_i) assert (state_q == Idle)
      else $error("start_i while busy");
    end
  end
`endif

endmodule
