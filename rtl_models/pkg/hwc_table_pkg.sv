// Where the entries of the table are: n is in bank n modulo TableBanks, in row n / TableBanks.
package hwc_table_pkg;

  // A package offers more than one design uses.
  // verilator lint_off UNUSEDPARAM
  // verilator lint_off UNUSEDSIGNAL

  import hwc_isa_pkg::*;
  import hwc_target_pkg::*;

  localparam int unsigned EntryBits = 16;
  typedef logic [EntryBits-1:0] entry_t;

  // Both an entry and the next one are read in a cycle, so there are two banks or more.
  localparam int unsigned TableBanks = SpecialRate > 2 ? SpecialRate : 2;
  localparam int unsigned BankBits = $clog2(TableBanks);
  localparam int unsigned BankRows = (MachineTableEntries + TableBanks - 1) / TableBanks;
  typedef logic [BankBits-1:0] bank_t;
  typedef logic [$clog2(BankRows)-1:0] bank_row_t;

  // A number of entries, or of an entry, up to one row of a fill after the last.
  typedef logic [$clog2(MachineTableEntries+SpecialRate+1)-1:0] entry_number_t;

  function automatic bank_t bank_of(entry_number_t entry);
    return bank_t'(entry);
  endfunction

  function automatic bank_row_t row_of(entry_number_t entry);
    return bank_row_t'(entry >> BankBits);
  endfunction

  // verilator lint_on UNUSEDSIGNAL
  // verilator lint_on UNUSEDPARAM

endpackage
