// Floating point: how a float is taken apart, rounded and packed.
//
// A lane holds a float of any type in the format LaneFormat: every number of a narrower format is a
// number of this format as well. An instruction of a type rounds its result once, to the format of
// the type, in three steps. In memory it has the bits of its format: widen and narrow are the
// way there and back. The formats are generated into hwc_isa_pkg.
package hwc_float_pkg;
  import hwc_isa_pkg::*;

  // A package offers more than one design uses, and a function that classifies a float or takes it
  // apart reads some of its fields.
  // verilator lint_off UNUSEDPARAM
  // verilator lint_off UNUSEDSIGNAL

  localparam float_format_t LaneFormat = float_format(TypeF32);
  localparam int unsigned ExponentBits = 32'(LaneFormat.exponent_bits);
  localparam int unsigned FractionBits = 32'(LaneFormat.fraction_bits);

  function automatic int unsigned exponent_bias(float_format_t format);
    return (1 << (32'(format.exponent_bits) - 1)) - 1;
  endfunction

  // The bits of a lane's fraction that a format has.
  function automatic logic [FractionBits-1:0] fraction_of_format(float_format_t format);
    return ~({FractionBits{1'b1}} >> format.fraction_bits);
  endfunction

  // An exponent as a float stores it, with the bias added.
  typedef logic [ExponentBits-1:0] biased_t;
  localparam int unsigned ExponentBias = exponent_bias(LaneFormat);
  localparam biased_t BiasedMin = biased_t'(1);  // of normal numbers, and of subnormal ones
  localparam biased_t BiasedMax = '1;  // infinities and NaNs

  // Exponents inside the units, signed; beyond the exponents of a lane wherever a unit needs it.
  typedef logic signed [ExponentBits+3:0] exponent_t;

  typedef struct packed {
    logic sign;
    biased_t exponent;
    logic [FractionBits-1:0] fraction;
  } float_t;

  // A fraction with its hidden bit.
  localparam int unsigned SignificandBits = FractionBits + 1;
  typedef logic [SignificandBits-1:0] significand_t;

  // Every NaN that an arithmetic instruction returns.
  localparam float_t CanonicalNan = {1'b0, BiasedMax, 1'b1, (FractionBits - 1)'(0)};
  localparam float_t FloatOne = {1'b0, biased_t'(ExponentBias), FractionBits'(0)};

  function automatic logic is_nan(float_t value);
    return value.exponent == BiasedMax && value.fraction != '0;
  endfunction

  function automatic logic is_infinite(float_t value);
    return value.exponent == BiasedMax && value.fraction == '0;
  endfunction

  function automatic logic is_zero(float_t value);
    return value.exponent == '0 && value.fraction == '0;
  endfunction

  function automatic float_t infinity(logic sign);
    return '{sign: sign, exponent: BiasedMax, fraction: '0};
  endfunction

  function automatic float_t zero(logic sign);
    return '{sign: sign, exponent: '0, fraction: '0};
  endfunction

  // A subnormal number has the exponent of the smallest normal one, and no hidden bit.
  function automatic biased_t exponent_of(float_t value);
    return value.exponent == '0 ? BiasedMin : value.exponent;
  endfunction

  function automatic significand_t significand_of(float_t value);
    return {value.exponent != '0, value.fraction};
  endfunction

  // Rounding to nearest even, the only one to a float, is some functions, so that registers may
  // stand between them: how many bits of a significand a format drops (dropped_range,
  // dropped_with), which these are (dropped_bits), what the rounding depends on (decide), and the
  // sum with its limit (pack_rounded). The significand is normalised, or its exponent is
  // BiasedMin; `guard` is the first bit below it and `sticky` tells whether any bit below that is
  // set. An exponent of BiasedMax gives infinity, or NaN in a format without.
  //
  // A format narrower than a lane's keeps fewer bits: it has a shorter fraction, and its smallest
  // numbers are spaced like the least of its normal ones. The bits that are dropped come out of the
  // significand, and zeros take their place. The hidden bit is added to the exponent rather than
  // dropped, so that subnormal results and a carry out of the fraction need no case of their own;
  // only where the hidden bit itself is rounded away is the result a zero.

  // With one more than the significand has, nothing is left, and it is less than half of a unit.
  localparam int unsigned MaxDropped = SignificandBits + 1;
  typedef logic [$clog2(MaxDropped + 1)-1:0] dropped_count_t;
  // Bits of {significand, guard}, and one place above: the highest bit set is the first that is
  // dropped, and stands for half of the last one kept.
  typedef logic [MaxDropped:0] dropped_t;
  // The bits of a lane without its sign.
  localparam int unsigned MagnitudeBits = ExponentBits + FractionBits;
  typedef logic [MagnitudeBits-1:0] magnitude_t;

  typedef struct packed {
    magnitude_t cut;  // the magnitude without the bits that are dropped
    dropped_t dropped;  // where these bits are
    logic half;  // the first bit that is dropped
    logic rest;  // whether any bit below is set
    logic odd;  // the last bit that is kept
    logic vanishing;  // nothing is left unless it goes up, the hidden bit included
    logic above;  // beyond the limit of the format, whether it goes up or not
    logic largest;  // beyond the limit if it goes up
    logic infinite;  // beyond the limit is infinity, and not NaN
  } rounding_t;

  // The exponent of the largest number of a format. In a format without infinities, the greatest
  // exponent has numbers, and one NaN above them.
  typedef struct packed {
    biased_t exponent;
    logic infinite;
  } float_limit_t;

  // What a format drops of a number, by the number of zeros above its first bit.
  typedef struct packed {
    exponent_t dropped;  // without zeros, if the number is below the format's normal ones
    // Normal numbers of a format drop `least`; the exponents of a lane, which end with BiasedMin,
    // drop `most`. Fewer zeros than `to_least`, or more than `to_most`, are these cases.
    dropped_count_t least;
    dropped_count_t most;
    exponent_t to_least;
    exponent_t to_most;
  } dropped_range_t;

  // What rounding has to know of a format.
  typedef struct packed {
    dropped_count_t least;
    dropped_count_t most;
    exponent_t dropped;  // what a dropped_range_t has for the exponent 0
    exponent_t to_least;
    exponent_t to_most;
    float_limit_t limit;
  } rounding_format_t;

  function automatic rounding_format_t rounding_format(float_format_t format);
    rounding_format_t result;
    int unsigned least, most;

    least = FractionBits - 32'(format.fraction_bits);
    most = least + ExponentBias - exponent_bias(format);
    if (most > MaxDropped) most = MaxDropped;
    result.least = dropped_count_t'(least);
    result.most = dropped_count_t'(most);
    result.dropped = exponent_t'(least) - exponent_t'(exponent_bias(format)) +
                     exponent_t'(ExponentBias + 1);
    result.to_least = exponent_t'(least) - result.dropped;
    result.to_most = exponent_t'(most) - result.dropped;
    result.limit.exponent = biased_t'(ExponentBias + exponent_bias(format));
    if (!format.infinite) result.limit.exponent += biased_t'(1);
    result.limit.infinite = format.infinite;
    return result;
  endfunction

  // Of every element type, so that a circuit chooses between constants, and does not compute them.
  typedef rounding_format_t [(1<<$bits(type_e))-1:0] rounding_formats_t;

  function automatic rounding_formats_t rounding_formats();
    rounding_formats_t result;
    for (int unsigned i = 0; i < 1 << $bits(type_e); i++) begin
      result[i] = rounding_format(float_format(type_e'(i)));
    end
    return result;
  endfunction

  localparam rounding_formats_t RoundingFormats = rounding_formats();

  // Of a number whose top bit, set or not, has this exponent.
  function automatic dropped_range_t dropped_range(rounding_format_t format, exponent_t exponent);
    return '{
        dropped: format.dropped - exponent,
        least: format.least,
        most: format.most,
        to_least: format.to_least + exponent,
        to_most: format.to_most + exponent
    };
  endfunction

  function automatic dropped_count_t dropped_with(dropped_range_t range, exponent_t zeros);
    if (zeros < range.to_least) return range.least;
    if (zeros > range.to_most) return range.most;
    return unsigned'(dropped_count_t'(range.dropped + zeros));
  endfunction

  function automatic dropped_t dropped_bits(dropped_count_t dropped);
    return ~(~dropped_t'(1) << dropped);
  endfunction

  // The first bit that is dropped. In a magnitude, which has no guard, it is the last place kept.
  function automatic dropped_t first_dropped(dropped_t dropped);
    return dropped & ~(dropped >> 1);
  endfunction

  function automatic rounding_t decide(float_limit_t limit, dropped_t dropped, biased_t exponent,
                                       significand_t significand, logic guard, logic sticky);
    rounding_t result;
    dropped_t bits, first;
    significand_t kept;
    logic greatest;

    bits = {1'b0, significand, guard};
    first = first_dropped(dropped);
    kept = significand & ~dropped[SignificandBits:1];
    result.cut = {kept[FractionBits] ? exponent : exponent - BiasedMin, kept[FractionBits-1:0]};
    result.dropped = dropped;
    result.half = (bits & first) != '0;
    result.rest = (bits & (dropped >> 1)) != '0 || sticky;
    result.odd = (bits & (first << 1)) != '0;
    result.vanishing = dropped[SignificandBits];

    // The sum need not be there to be compared with the limit. A number with the limit's exponent
    // is normal: all of the format's fraction is kept, and `odd` is its last bit. The bits above
    // are set in the largest number. The last one is set too below infinity, and clear below NaN.
    greatest = exponent == limit.exponent &&
               (significand | dropped[SignificandBits-1:0]) == '1;
    result.above = exponent > limit.exponent || (greatest && result.odd && !limit.infinite);
    result.largest = greatest && (result.odd || !limit.infinite);
    result.infinite = limit.infinite;
    return result;
  endfunction

  // Where a result comes from.
  typedef enum logic [1:0] {
    ResultRounded,
    ResultVanished,
    ResultBeyond,  // the limit of the format
    ResultSettled  // before any arithmetic
  } result_source_e;

  function automatic float_t pack_rounded(rounding_t rounding, logic sign, logic settled,
                                          float_t settled_result);
    result_source_e source;
    logic round_up;
    magnitude_t unit;

    round_up = rounding.half && (rounding.rest || rounding.odd);
    unit = round_up ? magnitude_t'(first_dropped(rounding.dropped)) : '0;
    source = ResultRounded;
    if (rounding.vanishing && !round_up) source = ResultVanished;
    if (rounding.above || (rounding.largest && round_up)) source = ResultBeyond;
    if (settled) source = ResultSettled;
    unique case (source)
      ResultVanished: return zero(sign);
      ResultBeyond: return rounding.infinite ? infinity(sign) : CanonicalNan;
      ResultSettled: return settled_result;
      default: return {sign, rounding.cut + unit};
    endcase
  endfunction

  // Whether the numbers and NaNs of one format, at the top of a lane with zeros below, are those of
  // the other one: only its fraction may be shorter.
  function automatic logic has_all_of(float_format_t format, float_format_t shorter);
    return format == shorter || (format.exponent_bits == shorter.exponent_bits &&
        format.fraction_bits > shorter.fraction_bits && format.infinite && shorter.infinite);
  endfunction

  // The number or NaN of a format at the top of a lane, as a lane holds it. What is below it in the
  // lane does not matter.
  function automatic float_t widen(float_format_t format, logic [31:0] element);
    localparam int unsigned Cases = 2 ** $clog2(NarrowFractionBits);
    logic sign, special, first;
    logic [ExponentBits-1:0] field, largest, exponent, rebias, common;
    logic [FractionBits-1:0] fraction;
    logic [NarrowFractionBits-1:0] narrow_fraction;
    logic [MagnitudeBits-1:0] normal;
    logic [Cases-1:0][MagnitudeBits-1:0] subnormal;

    sign = element[31];
    field = ExponentBits'(element[30:0] >> (MagnitudeBits - 32'(format.exponent_bits)));
    fraction = FractionBits'(element[30:0] << format.exponent_bits >> ExponentBits) &
               fraction_of_format(format);
    if (32'(format.exponent_bits) == ExponentBits) return {sign, field, fraction};

    largest = ExponentBits'((32'd1 << format.exponent_bits) - 32'd1);
    special = field == largest && (format.infinite || fraction == fraction_of_format(format));

    // The difference between the biases is that between two powers of two, so that only the bits
    // from the first one of the field up change.
    first = field[format.exponent_bits-1];
    exponent = (field & (largest >> 1)) | (~largest & {1'b0, {(ExponentBits - 1) {!first}}});
    exponent[format.exponent_bits-1] = !first;
    exponent[ExponentBits-1] = first;
    normal = {exponent | {ExponentBits{special}}, fraction};

    // A subnormal number of a narrower range is normal in a lane. Each place of its first bit is a
    // case of its own, so that the shifts are by constants; the cases join as a tree. Exponent bits
    // that all cases have need not wait for the place.
    narrow_fraction = fraction[FractionBits-1-:NarrowFractionBits];
    rebias = biased_t'(ExponentBias - exponent_bias(format));
    common = '1;
    for (int unsigned i = 0; i < 32'(format.fraction_bits); i++) common &= rebias - biased_t'(i);
    subnormal = '0;
    for (int unsigned i = 0; i < 32'(format.fraction_bits); i++) begin
      if ((narrow_fraction >> (NarrowFractionBits - 1 - i)) == NarrowFractionBits'(1'b1)) begin
        subnormal[i] = {
          (rebias - biased_t'(i)) & ~common, FractionBits'(fraction << (i + 1))
        };
      end
    end
    for (int unsigned half = Cases / 2; half > 0; half /= 2) begin
      for (int unsigned i = 0; i < half; i++) subnormal[i] |= subnormal[i+half];
    end
    if (fraction != '0) subnormal[0] |= {common, FractionBits'(0)};
    return {sign, field == '0 ? subnormal[0] : normal};
  endfunction

  // A lane as the bits of a format: widen the other way round. Of other lanes the fraction's bits
  // that do not fit are cut off; what is too large becomes infinity, or NaN in a format without. A
  // NaN stays one. Three steps, so that registers may stand between them: the first knows the
  // format alone.

  typedef struct packed {
    logic [FractionBits:0] dropped;        // bits of a lane's fraction that do not fit, one-hot
    biased_t rebias;                       // from the format's exponents to those of a lane
    logic [MagnitudeBits-1:0] rebias_magnitude;
    biased_t greatest;                     // exponent of a lane whose magnitude is right
    logic [MagnitudeBits-1:0] largest;     // infinity, or NaN in a format without
    logic [MagnitudeBits-1:0] quiet;       // the first of the bits that tell NaNs apart
    logic [31:0] sign;                     // the place of the sign
  } narrow_format_t;

  typedef struct packed {
    logic sign;
    logic nan;
    logic payload;                        // whether a NaN has any left
    logic normal;
    logic beyond;                         // too large
    logic [MagnitudeBits-1:0] magnitude;  // of a normal number
    significand_t cut;                    // without what does not fit
    biased_t below;                       // places by which a subnormal number goes down
  } narrowing_t;

  function automatic narrow_format_t narrow_format(float_format_t format);
    narrow_format_t result;
    logic [MagnitudeBits-1:0] payload;

    result.dropped = (FractionBits + 1)'(1'b1) << (5'(FractionBits) - format.fraction_bits);
    result.rebias = biased_t'(ExponentBias - exponent_bias(format));
    result.rebias_magnitude = MagnitudeBits'(result.rebias) << format.fraction_bits;
    payload = MagnitudeBits'((32'd1 << format.fraction_bits) - 32'd1);
    result.quiet = MagnitudeBits'(32'd1 << (format.fraction_bits - 5'd1));
    result.largest =
        MagnitudeBits'(((32'd1 << format.exponent_bits) - 32'd1) << format.fraction_bits);
    if (!format.infinite) result.largest |= payload;
    result.greatest = result.rebias + biased_t'((32'd1 << format.exponent_bits) - 32'd1) -
                      biased_t'(format.infinite);
    result.sign = 32'd1 << (format.exponent_bits + format.fraction_bits);
    return result;
  endfunction

  // Each number of bits is a case of its own, so that the shifts are by constants.
  function automatic logic [MagnitudeBits-1:0] drop_bits(
      narrow_format_t format, logic [MagnitudeBits-1:0] bits);
    drop_bits = '0;
    for (int unsigned i = 0; i <= FractionBits; i++) begin
      drop_bits |= (bits >> i) & {MagnitudeBits{format.dropped[i]}};
    end
  endfunction

  function automatic narrowing_t begin_narrow(narrow_format_t format, float_t lane);
    logic [MagnitudeBits-1:0] magnitude;

    magnitude = drop_bits(format, {lane.exponent, lane.fraction});
    return '{
        sign: lane.sign,
        nan: is_nan(lane),
        payload: drop_bits(format, MagnitudeBits'(lane.fraction)) != '0,
        normal: exponent_of(lane) > format.rebias,
        beyond: lane.exponent > format.greatest,
        magnitude: magnitude - format.rebias_magnitude,
        cut: significand_t'(drop_bits(format, MagnitudeBits'(significand_of(lane)))),
        below: format.rebias + biased_t'(1) - exponent_of(lane)
    };
  endfunction

  function automatic logic [31:0] narrow(narrow_format_t format, narrowing_t lane);
    logic [MagnitudeBits-1:0] magnitude;

    // Formats with the exponents of a lane have no numbers to move down.
    magnitude = MagnitudeBits'(lane.cut[NarrowFractionBits:0] >> lane.below);
    if (lane.normal) magnitude = lane.magnitude;
    if (lane.beyond) magnitude = format.largest;
    if (lane.nan) begin
      magnitude = format.largest | MagnitudeBits'(lane.cut);  // its hidden bit is there anyway
      if (!lane.payload) magnitude |= format.quiet;
    end
    return (lane.sign ? format.sign : '0) | 32'(magnitude);
  endfunction

  // verilator lint_on UNUSEDSIGNAL
  // verilator lint_on UNUSEDPARAM

endpackage
