// What the opcode of a word stands for, from a memory: as gates, it is one of the deepest parts of
// the machine.
//
// Timing: info_o belongs to opcode_i of the last cycle that had read_i.
module instruction_rom
  import hwc_isa_pkg::*;
(
    input  logic                  clk_i,
    input  logic                  read_i,
    input  logic [OpcodeBits-1:0] opcode_i,
    output instruction_t          info_o
);

  localparam int unsigned Opcodes = 2 ** OpcodeBits;
  typedef instruction_t [Opcodes-1:0] instructions_t;

  function automatic instructions_t all_instructions();
    for (int unsigned i = 0; i < Opcodes; i++) all_instructions[i] = instruction(OpcodeBits'(i));
  endfunction

  localparam instructions_t Instructions = all_instructions();

  rom #(
      .data_t(instruction_t),
      .Rows(Opcodes),
      .Contents(Instructions)
  ) u_rom (
      .clk_i,
      .read_i,
      .address_i(opcode_i),
      .data_o   (info_o)
  );

endmodule
