// The table of one lane, in banks, and what the lane computes of its entries.
//
// count_i entries are filled, and others are 0. An operand's low bits choose an entry: all 8 of an
// i8 for `lookup`, the upper 9 of an i16 for `interp`, whose lower 7 say how far it is on the way
// to the next entry. `fill` gives its operand.
//
// Timing: result_o belongs to the operands of `Depth` cycles before. Nothing is written while
// operands that read the table are on their way.
module lookup_lane
  import hwc_isa_pkg::*;
  import hwc_vector_pkg::*;
  import hwc_table_pkg::*;
#(
    parameter int unsigned Depth = LatencyTab - RegisterStages - 1
) (
    input  logic                           clk_i,
    input  logic                           rst_ni,
    input  logic          [TableBanks-1:0] write_i,
    input  bank_row_t                      row_i,
    input  entry_t        [TableBanks-1:0] entries_i,
    input  entry_number_t                  count_i,
    input  logic                           valid_i,
    input  operation_e                     operation_i,
    input  lane_t                          a_i,
    output logic                           valid_o,
    output lane_t                          result_o
);

  localparam int unsigned Stages = 7;
  localparam int unsigned FractionBits = 7;
  typedef logic [FractionBits-1:0] fraction_t;
  typedef logic signed [EntryBits:0] difference_t;
  typedef logic signed [EntryBits+FractionBits:0] product_t;

  // What goes through all stages. A value is what `fill` gives, or is to come.
  typedef struct packed {
    logic fill;
    logic interp;
    lane_t value;
    fraction_t fraction;
  } kind_t;

  typedef struct packed {
    kind_t kind;
    entry_number_t index;
  } place_t;

  typedef struct packed {
    kind_t kind;
    bank_t bank;
    bank_t next_bank;
    logic filled;
    logic next_filled;
    bank_row_t [TableBanks-1:0] rows;
  } read_t;

  typedef struct packed {
    kind_t kind;
    entry_t entry;
    entry_t next;
  } pair_t;

  typedef struct packed {
    kind_t kind;
    entry_t entry;
    difference_t difference;
  } difference_stage_t;

  typedef struct packed {
    kind_t kind;
    entry_t entry;
    product_t product;
  } product_stage_t;

  logic place_valid, rows_valid, read_valid, pair_valid, difference_valid, product_valid;
  place_t place_d, place;
  read_t rows_d, rows;
  // verilator lint_off UNUSEDSIGNAL
  read_t read;  // its rows have been read
  // verilator lint_on UNUSEDSIGNAL
  pair_t pair_d, pair;
  difference_stage_t difference_d, difference;
  product_stage_t product_d, product;
  lane_t result_d;
  entry_t [TableBanks-1:0] entries;

  // 1: the place in the table.
  always_comb begin
    place_d.kind.fill = operation_i == OperationFill;
    place_d.kind.interp = operation_i == OperationInterp;
    place_d.kind.value = a_i;
    place_d.kind.fraction = fraction_t'(a_i);
    place_d.index = entry_number_t'({!a_i[7], a_i[6:0]});
    if (place_d.kind.interp) place_d.index = entry_number_t'({!a_i[15], a_i[14:7]});
  end

  delay_line #(
      .data_t(place_t)
  ) u_place (
      .clk_i,
      .rst_ni,
      .valid_i,
      .data_i (place_d),
      .valid_o(place_valid),
      .data_o (place)
  );

  // 2: the rows. The banks before the entry's have the next one a row further on.
  always_comb begin
    rows_d.kind = place.kind;
    rows_d.bank = bank_of(place.index);
    rows_d.next_bank = bank_of(place.index) + 1'b1;
    rows_d.filled = place.index < count_i;
    rows_d.next_filled = place.index + 1'b1 < count_i;
    for (int unsigned bank = 0; bank < TableBanks; bank++) begin
      rows_d.rows[bank] = row_of(place.index);
      if (bank_t'(bank) < bank_of(place.index)) rows_d.rows[bank] = row_of(place.index) + 1'b1;
    end
  end

  delay_line #(
      .data_t(read_t)
  ) u_rows (
      .clk_i,
      .rst_ni,
      .valid_i(place_valid),
      .data_i (rows_d),
      .valid_o(rows_valid),
      .data_o (rows)
  );

  // 3: the banks.
  for (genvar bank = 0; bank < TableBanks; bank++) begin : gen_banks
    ram_1w1r #(
        .Words      (BankRows),
        .Granules   (1),
        .GranuleBits(EntryBits)
    ) u_bank (
        .clk_i,
        .write_i        (write_i[bank]),
        .write_address_i(row_i),
        .write_data_i   (entries_i[bank]),
        .read_i         (rows_valid),
        .read_address_i (rows.rows[bank]),
        .read_data_o    (entries[bank])
    );
  end

  delay_line #(
      .data_t(read_t)
  ) u_read (
      .clk_i,
      .rst_ni,
      .valid_i(rows_valid),
      .data_i (rows),
      .valid_o(read_valid),
      .data_o (read)
  );

  // 4: the entry and the next one.
  always_comb begin
    pair_d.kind = read.kind;
    pair_d.entry = read.filled ? entries[read.bank] : '0;
    pair_d.next = read.next_filled ? entries[read.next_bank] : '0;
  end

  delay_line #(
      .data_t(pair_t)
  ) u_pair (
      .clk_i,
      .rst_ni,
      .valid_i(read_valid),
      .data_i (pair_d),
      .valid_o(pair_valid),
      .data_o (pair)
  );

  // 5, 6: the difference, times the fraction.
  always_comb begin
    difference_d.kind = pair.kind;
    difference_d.entry = pair.entry;
    difference_d.difference = difference_t'(signed'(pair.next)) -
                              difference_t'(signed'(pair.entry));
    product_d.kind = difference.kind;
    product_d.entry = difference.entry;
    product_d.product = product_t'(difference.difference) *
                        product_t'(signed'({1'b0, difference.kind.fraction}));
  end

  delay_line #(
      .data_t(difference_stage_t)
  ) u_difference (
      .clk_i,
      .rst_ni,
      .valid_i(pair_valid),
      .data_i (difference_d),
      .valid_o(difference_valid),
      .data_o (difference)
  );

  delay_line #(
      .data_t(product_stage_t)
  ) u_product (
      .clk_i,
      .rst_ni,
      .valid_i(difference_valid),
      .data_i (product_d),
      .valid_o(product_valid),
      .data_o (product)
  );

  // 7: the result.
  always_comb begin
    result_d = lane_t'(signed'(product.entry[7:0]));
    if (product.kind.interp) begin
      result_d = (lane_t'(signed'(product.entry)) << FractionBits) +
                 lane_t'(signed'(product.product));
    end
    if (product.kind.fill) result_d = product.kind.value;
  end

  delay_line #(
      .data_t(lane_t),
      .Stages(Depth - Stages + 1)
  ) u_result (
      .clk_i,
      .rst_ni,
      .valid_i(product_valid),
      .data_i (result_d),
      .valid_o,
      .data_o (result_o)
  );

  if (Depth < Stages) begin : gen_depth_check
    $error("%m: a unit of %0d stages cannot have a Depth of %0d", Stages, Depth);
  end

endmodule
