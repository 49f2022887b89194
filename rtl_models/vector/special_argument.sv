// Argument of the first table: its row, the offset inside the segment, and the factor to come.
//
// Angles are reduced here: the significand times the window of 2/pi that belongs to the exponent
// gives the quadrant and 60 bits of the rest. An angle below 1/2 takes the first window and is
// shifted where it chooses the segment; its factor keeps all digits.
// Timing: four stages (window, multiply, fold, normalise); other functions only use the last.
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
  localparam logic [IndexBits-1:0] FirstBelowOne = EntryLog2 + Log2Fold;

  typedef logic [WindowBits-1:0] window_t;
  typedef logic [TurnBits-1:0] turn_t;
  typedef logic [AngleBits-1:0] angle_t;

  typedef struct packed {
    state_t state;
    turn_t turn;
  } turned_t;

  typedef struct packed {
    state_t state;
    angle_t angle;  // in quadrants, of the first quadrant
    angle_t digits;  // the same before it was shifted
  } folded_t;

  logic windowed_valid, turned_valid, folded_valid;
  state_t windowed;
  exponent_t window_index;
  window_t window;
  turned_t turned_d, turned_q;
  folded_t folded_d, folded_q;
  state_t state_d;
  logic [CountBits-1:0] digit_zeros;

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
  ) u_windowed (
      .clk_i,
      .rst_ni,
      .valid_i,
      .data_i (state_i),
      .valid_o(windowed_valid),
      .data_o (windowed)
  );

  // Multiply, modulo 4 quadrants.
  always_comb begin
    window_t product;

    product = window_t'(windowed.significand) * window;
    turned_d.state = windowed;
    turned_d.turn = turn_t'(product >> TurnDrop);
  end

  delay_line #(
      .data_t(turned_t)
  ) u_turned (
      .clk_i,
      .rst_ni,
      .valid_i(windowed_valid),
      .data_i (turned_d),
      .valid_o(turned_valid),
      .data_o (turned_q)
  );

  // Fold: an odd quadrant counts from its end, the upper two are negative.
  always_comb begin
    exponent_t shift;
    logic [1:0] quadrant;

    shift = exponent_t'(WindowFirst) - turned_q.state.exponent;
    if (shift < exponent_t'(0)) shift = exponent_t'(0);
    quadrant = shift == exponent_t'(0) ? turned_q.turn[TurnBits-1:AngleBits] : 2'd0;
    if (turned_q.state.op == OperationCos) quadrant += 2'd1;

    folded_d.state = turned_q.state;
    folded_d.digits = turned_q.turn[AngleBits-1:0];
    folded_d.angle = folded_d.digits >> shift;
    if (quadrant[0]) begin
      folded_d.angle = ~folded_d.angle;
      folded_d.digits = folded_d.angle;
      shift = exponent_t'(0);
    end
    if (takes_angle(turned_q.state.op)) begin
      folded_d.state.negative = turned_q.state.negative ^ quadrant[1];
      folded_d.state.scale = -shift;
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

  // Normalise the factor of an angle, and take every other function's argument from its
  // significand.
  leading_zeros #(
      .Width(AngleBits)
  ) u_leading_zeros (
      .data_i (folded_q.digits),
      .count_o(digit_zeros)
  );

  always_comb begin
    state_t state;
    angle_t digits;
    exponent_t erf_shift;
    logic [ErfSegmentBits+OffsetBits-1:0] erf_argument;

    state = folded_q.state;
    digits = folded_q.digits << digit_zeros;
    erf_shift = exponent_t'(1) - state.exponent;
    erf_argument = {state.significand, (ErfSegmentBits + OffsetBits - SignificandBits)'(0)} >>
                   erf_shift;

    state_d = state;
    unique case (state.op)
      OperationSin, OperationCos: begin
        state_d.index = EntrySine | IndexBits'(folded_q.angle[AngleBits-1-:SineSegmentBits]);
        state_d.offset = folded_q.angle[AngleBits-SineSegmentBits-1-:OffsetBits];
        state_d.factor = signed'(FactorBits'(digits[AngleBits-1-:DigitBits]) +
                                 FactorBits'(digits[AngleBits-1-DigitBits]));
        // Of the digits' unit, 2^-60 before they were normalised.
        state_d.scale = state.scale - exponent_t'(digit_zeros) - exponent_t'(DigitBits);
      end
      OperationErf: begin
        state_d.index = EntryErf | IndexBits'(erf_argument[OffsetBits+:ErfSegmentBits]);
        state_d.offset = erf_argument[OffsetBits-1:0];
        state_d.factor = signed'(FactorBits'(state.significand));
      end
      OperationRsqrt: begin
        state_d.index = EntryRoot | IndexBits'({state.exponent[0],
            state.significand[FractionBits-1-:RootSegmentBits]});
        state_d.offset = offset_of(state.significand, RootSegmentBits);
      end
      OperationLog, OperationLog2, OperationLog10, OperationPow: begin
        state_d.index = EntryLog2 | IndexBits'(state.significand[FractionBits-1-:LogSegmentBits]);
        state_d.offset = offset_of(state.significand, LogSegmentBits);
        // m - 1 in half of the significand's units, where m is half the significand from the fold
        // on; the exponent becomes the exponent of m.
        if (state_d.index >= FirstBelowOne) begin
          state_d.factor = signed'(FactorBits'(state.significand)) -
                           signed'(FactorBits'(1) << SignificandBits);
          state_d.exponent = state.exponent + exponent_t'(1);
        end else begin
          state_d.factor = signed'(FactorBits'({state.significand[FractionBits-1:0], 1'b0}));
        end
      end
      default: ;
    endcase
  end

  delay_line #(
      .data_t(state_t)
  ) u_state (
      .clk_i,
      .rst_ni,
      .valid_i(folded_valid),
      .data_i (state_d),
      .valid_o,
      .data_o (state_o)
  );

endmodule
