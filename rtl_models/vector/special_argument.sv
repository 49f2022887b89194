// Argument of the first table: its row, the offset inside the segment, and the factor to come.
//
// Angles are reduced here: the significand times the window of 2/pi that belongs to the exponent
// gives the quadrant and 60 bits of the rest. An angle below 1/2 takes the first window and is
// shifted where it chooses the segment; its factor keeps all digits.
// Timing: eight stages (window, take over, multiply, add, fold, count zeros, normalise, round);
// other functions only use the count's.
module special_argument
  import hwc_isa_pkg::*;
  import hwc_special_pkg::*;
  import hwc_tables_pkg::*;
  import hwc_float_pkg::*;
(
    input  logic   clk_i,
    input  logic   rst_ni,
    input  logic   valid_i,
    input  state_t state_i,
    output logic   valid_o,
    output state_t state_o
);

  localparam int unsigned WindowBits = $bits(AngleWindows[0]);
  localparam int unsigned TurnBits = 62;  // two bits of quadrant, the rest is fraction
  localparam int unsigned TurnDrop = WindowBits - TurnBits;
  localparam int unsigned AngleBits = TurnBits - 2;
  localparam int unsigned DigitBits = 31;
  localparam int unsigned CountBits = $clog2(AngleBits + 1);
  localparam exponent_t LastWindow = exponent_t'($size(AngleWindows) - 1);
  localparam logic [LogSegmentBits-1:0] Fold = LogSegmentBits'(Log2Fold);

  typedef logic [WindowBits-1:0] window_t;
  typedef logic [TurnBits-1:0] turn_t;
  typedef logic [AngleBits-1:0] angle_t;

  // An angle is moved down so far that nothing is left, or less.
  typedef logic [$clog2(AngleBits+1)-1:0] shift_t;

  // The argument of erf is moved down so far that nothing is left, or less.
  localparam int unsigned ErfBits = ErfSegmentBits + OffsetBits;
  typedef logic [$clog2(ErfBits+1)-1:0] erf_shift_t;

  typedef struct packed {
    state_t state;
    window_t window;
  } windowed_t;

  typedef struct packed {
    state_t state;
    turn_t turn;
    logic turns;  // the angle may be beyond the first quadrant
    logic is_cos;
    exponent_t below;  // exponents of the angle below the first window's; 0 if it is not
    shift_t shift;  // the same, limited
  } turned_t;

  typedef struct packed {
    state_t state;
    angle_t angle;  // in quadrants, of the first quadrant
    angle_t digits;  // the same before it was shifted
    erf_shift_t erf_shift;
    logic is_erf;
    logic is_root;
    logic is_logarithm;
    logic below_one;  // the logarithm of half the significand is taken
  } folded_t;

  typedef struct packed {
    state_t state;
    angle_t angle;
    angle_t digits;
    logic [CountBits-1:0] zeros;
  } counted_t;

  typedef struct packed {
    state_t state;
    logic [DigitBits:0] digits;  // the last one is rounded
  } normal_t;

  logic looked_up_valid, windowed_valid, multiplied_valid, turned_valid, folded_valid;
  logic counted_valid, normal_valid;
  state_t looked_up, multiplied;
  exponent_t window_index;
  window_t window, product;
  windowed_t windowed;
  turned_t turned_d, turned_q;
  folded_t folded_d, folded_q;
  counted_t counted_d, counted_q;
  normal_t normal_d, normal_q;
  state_t state_d;

  // Window.
  always_comb begin
    window_index = state_i.exponent - exponent_t'(WindowFirst);
    if (window_index < exponent_t'(0)) window_index = exponent_t'(0);
    if (window_index > LastWindow) window_index = LastWindow;
  end

  rom #(
      .data_t(window_t),
      .Rows($size(AngleWindows)),
      .Contents(AngleWindows)
  ) u_windows (
      .clk_i,
      .read_i   (valid_i),
      .address_i(window_index[$clog2($size(AngleWindows))-1:0]),
      .data_o   (window)
  );

  delay_line #(
      .data_t(state_t)
  ) u_looked_up (
      .clk_i,
      .rst_ni,
      .valid_i,
      .data_i (state_i),
      .valid_o(looked_up_valid),
      .data_o (looked_up)
  );

  // A memory is too slow to be read and multiplied in one cycle.
  delay_line #(
      .data_t(windowed_t)
  ) u_windowed (
      .clk_i,
      .rst_ni,
      .valid_i(looked_up_valid),
      .data_i ('{looked_up, window}),
      .valid_o(windowed_valid),
      .data_o (windowed)
  );

  // Multiply, modulo 4 quadrants.
  delay_line #(
      .data_t(state_t)
  ) u_multiplied (
      .clk_i,
      .rst_ni,
      .valid_i(windowed_valid),
      .data_i (windowed.state),
      .valid_o(multiplied_valid),
      .data_o (multiplied)
  );

  multiply_add #(
      .ABits  (WindowBits),
      .BBits  (SignificandBits),
      .SumBits(WindowBits)
  ) u_multiply (
      .clk_i,
      .a_i     (windowed.window),
      .b_i     (windowed.state.significand),
      .addend_i('0),
      .sum_o   (product)
  );

  always_comb begin
    turned_d.state = multiplied;
    turned_d.turn = turn_t'(product >> TurnDrop);
    turned_d.turns = multiplied.exponent >= exponent_t'(WindowFirst);
    turned_d.is_cos = multiplied.op == OperationCos;
    turned_d.below = exponent_t'(WindowFirst) - multiplied.exponent;
    if (turned_d.turns) turned_d.below = exponent_t'(0);
    turned_d.shift = turned_d.below > exponent_t'(AngleBits) ? shift_t'(AngleBits)
                                                            : unsigned'(shift_t'(turned_d.below));
  end

  delay_line #(
      .data_t(turned_t)
  ) u_turned (
      .clk_i,
      .rst_ni,
      .valid_i(multiplied_valid),
      .data_i (turned_d),
      .valid_o(turned_valid),
      .data_o (turned_q)
  );

  // Fold: an odd quadrant counts from its end, the upper two are negative. A cosine is a quadrant
  // ahead.
  always_comb begin
    exponent_t scale, erf_shift;
    logic [1:0] quadrant;

    scale = -turned_q.below;
    quadrant = turned_q.turns ? turned_q.turn[TurnBits-1:AngleBits] : 2'd0;
    quadrant += 2'(turned_q.is_cos);

    folded_d.state = turned_q.state;
    folded_d.is_erf = turned_q.state.op == OperationErf;
    folded_d.is_root = turned_q.state.op == OperationRsqrt;
    folded_d.is_logarithm = takes_logarithm(turned_q.state.op);
    folded_d.below_one = turned_q.state.significand[FractionBits-1-:LogSegmentBits] >= Fold;
    folded_d.digits = turned_q.turn[AngleBits-1:0];
    folded_d.angle = folded_d.digits >> turned_q.shift;
    if (quadrant[0]) begin
      folded_d.angle = ~folded_d.angle;
      folded_d.digits = folded_d.angle;
      scale = exponent_t'(0);
    end
    // An argument that would move up is beyond the table, and its result is settled.
    erf_shift = exponent_t'(1) - turned_q.state.exponent;
    folded_d.erf_shift = erf_shift_t'(erf_shift);
    if (unsigned'(erf_shift) >> $bits(erf_shift_t) != '0) folded_d.erf_shift = '1;
    if (takes_angle(turned_q.state.op)) begin
      folded_d.state.negative = turned_q.state.negative ^ quadrant[1];
      folded_d.state.scale = scale;
    end
  end

  delay_line #(
      .data_t(folded_t)
  ) u_folded (
      .clk_i,
      .rst_ni,
      .valid_i(turned_valid),
      .data_i (folded_d),
      .valid_o(folded_valid),
      .data_o (folded_q)
  );

  // Count the zeros of an angle, and take every other function's argument from its significand.
  leading_zeros #(
      .Width(AngleBits)
  ) u_leading_zeros (
      .data_i (folded_q.digits),
      .count_o(counted_d.zeros)
  );

  always_comb begin
    state_t state;
    logic [ErfBits-1:0] erf_argument;

    state = folded_q.state;
    erf_argument = {state.significand, (ErfBits - SignificandBits)'(0)} >> folded_q.erf_shift;

    counted_d.angle = folded_q.angle;
    counted_d.digits = folded_q.digits;
    counted_d.state = state;
    // m - 1 in half of the significand's units, where m is half the significand from the fold on;
    // the exponent becomes the exponent of m.
    counted_d.state.factor = signed'(FactorBits'(state.significand));
    if (folded_q.is_logarithm) begin
      counted_d.state.factor = folded_q.below_one
          ? signed'(FactorBits'(state.significand)) - signed'(FactorBits'(1) << SignificandBits)
          : signed'(FactorBits'({state.significand[FractionBits-1:0], 1'b0}));
      counted_d.state.exponent = state.exponent + exponent_t'(folded_q.below_one);
    end
    counted_d.state.index = '0;
    counted_d.state.offset = '0;
    if (folded_q.is_erf) begin
      counted_d.state.index |= EntryErf | IndexBits'(erf_argument[OffsetBits+:ErfSegmentBits]);
      counted_d.state.offset |= erf_argument[OffsetBits-1:0];
    end
    if (folded_q.is_root) begin
      counted_d.state.index |= EntryRoot | IndexBits'({state.exponent[0],
          state.significand[FractionBits-1-:RootSegmentBits]});
      counted_d.state.offset |= offset_of(state.significand, RootSegmentBits);
    end
    if (folded_q.is_logarithm) begin
      counted_d.state.index |=
          EntryLog2 | IndexBits'(state.significand[FractionBits-1-:LogSegmentBits]);
      counted_d.state.offset |= offset_of(state.significand, LogSegmentBits);
    end
  end

  delay_line #(
      .data_t(counted_t)
  ) u_counted (
      .clk_i,
      .rst_ni,
      .valid_i(folded_valid),
      .data_i (counted_d),
      .valid_o(counted_valid),
      .data_o (counted_q)
  );

  // Normalise the factor of an angle.
  always_comb begin
    normal_d.digits = (DigitBits + 1)'((counted_q.digits << counted_q.zeros) >>
                                       (AngleBits - DigitBits - 1));
    normal_d.state = counted_q.state;
    if (takes_angle(counted_q.state.op)) begin
      normal_d.state.index =
          EntrySine | IndexBits'(counted_q.angle[AngleBits-1-:SineSegmentBits]);
      normal_d.state.offset = counted_q.angle[AngleBits-SineSegmentBits-1-:OffsetBits];
      // Of the digits' unit, 2^-60 before they were normalised.
      normal_d.state.scale = counted_q.state.scale - exponent_t'(counted_q.zeros) -
                             exponent_t'(DigitBits);
    end
  end

  delay_line #(
      .data_t(normal_t)
  ) u_normal (
      .clk_i,
      .rst_ni,
      .valid_i(counted_valid),
      .data_i (normal_d),
      .valid_o(normal_valid),
      .data_o (normal_q)
  );

  // Round it.
  always_comb begin
    state_d = normal_q.state;
    if (takes_angle(normal_q.state.op)) begin
      state_d.factor = signed'(FactorBits'(normal_q.digits[DigitBits:1]) +
                               FactorBits'(normal_q.digits[0]));
    end
  end

  delay_line #(
      .data_t(state_t)
  ) u_state (
      .clk_i,
      .rst_ni,
      .valid_i(normal_valid),
      .data_i (state_d),
      .valid_o,
      .data_o (state_o)
  );

endmodule
