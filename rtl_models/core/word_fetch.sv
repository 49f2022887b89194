// Program and packet: loads them, and gives the words of the program, one a cycle. While one is
// read from memory, the one before looks up its parameter and what its opcode stands for, the one
// before that is decoded, and one is ready to be executed.
//
// Timing: flush_i begins with the word at pc 0 and starts image_loader; load_i is its ask_i, see
// there for loaded_o, due_o and version_o. With enable_i words move on whenever none is ready or
// take_i takes the one that is. The first waits for loaded_o before it looks up its parameter: it
// is ready three cycles after loaded_o or earlier, and then one in every cycle. The ports of the
// vector pipe read the body from copies of the program of their own: body_word_o is the word at
// body_pc_i of the last cycle with body_read_i.
module word_fetch
  import hwc_isa_pkg::*;
  import hwc_target_pkg::*;
  import hwc_stream_pkg::*;
  import hwc_core_pkg::*;
(
    input  logic                     clk_i,
    input  logic                     rst_ni,
    // Holds still from flush_i on; the window is not for words.
    // verilator lint_off UNUSEDSIGNAL
    input  dispatch_t                dispatch_i,
    // verilator lint_on UNUSEDSIGNAL
    input  logic                     flush_i,
    input  logic                     load_i,
    output logic                     loaded_o,
    output logic                     due_o,
    output logic      [HostBits-1:0] version_o,
    // Read master.
    output logic                     request_valid_o,
    output read_request_t            request_o,
    input  logic                     request_ready_i,
    input  image_valid_t             word_valid_i,
    input  read_word_t               word_i,
    // The word that is ready.
    input  logic                     enable_i,
    input  logic                     take_i,
    output logic                     valid_o,
    output pc_t                      pc_o,
    output logic                     past_end_o,       // after the last word of the program
    output decoded_t                 decoded_o,
    output parameter_t               parameter_o,      // that it names; anything if it names none
    output logic                     no_parameter_o,   // its index is not in the packet
    // The vector pipe: lanes, special functions.
    input  logic              [PipePorts-1:0] body_read_i,
    input  pc_t               [PipePorts-1:0] body_pc_i,
    output instruction_word_t [PipePorts-1:0] body_word_o
);

  logic program_loaded, write_program, write_packet;
  word_index_t program_first, packet_first;
  logic [15:0] write_row;
  word_t write_data;

  image_loader u_loader (
      .clk_i,
      .rst_ni,
      .start_i         (flush_i),
      .ask_i           (load_i),
      .dispatch_i,
      .program_loaded_o(program_loaded),
      .loaded_o,
      .due_o,
      .version_o,
      .request_valid_o,
      .request_o,
      .request_ready_i,
      .word_valid_i,
      .word_i,
      .program_first_o (program_first),
      .packet_first_o  (packet_first),
      .write_program_o (write_program),
      .write_packet_o  (write_packet),
      .write_row_o     (write_row),
      .write_data_o    (write_data)
  );

  // A word on its way.
  typedef struct packed {
    logic valid;
    pc_t pc;
  } place_t;

  logic move;
  pc_t fetch_pc_d, fetch_pc_q, program_words;
  place_t read_q, lookup_q, decode_q, ready_q;
  instruction_word_t memory_word, lookup_word_q, decode_word_q;
  instruction_t lookup_info, decode_info_q;
  decoded_t decoded, decoded_q;
  logic past_end_q;
  parameter_t memory_parameter, parameter_q;
  logic [31:0] parameters_q;  // of the packet, after the version
  logic no_parameter, no_parameter_q;

  always_comb begin
    program_words = pc_t'(dispatch_i.program_words);
    move = enable_i && (loaded_o || (program_loaded && !lookup_q.valid))
        && (!ready_q.valid || take_i);
    fetch_pc_d = fetch_pc_q;
    if (move && fetch_pc_q != program_words) fetch_pc_d = fetch_pc_q + 1'b1;
    if (flush_i) fetch_pc_d = '0;
  end

  image_memory #(
      .Words(InstructionWords)
  ) u_instructions (
      .clk_i,
      .first_i     (program_first),
      .write_i     (write_program),
      .write_row_i (write_row),
      .write_data_i(write_data),
      .read_i      (move),
      .index_i     (fetch_pc_q),
      .word_o      (memory_word)
  );

  for (genvar i = 0; i < PipePorts; i++) begin : gen_bodies
    image_memory #(
        .Words(InstructionWords)
    ) u_body (
        .clk_i,
        .first_i     (program_first),
        .write_i     (write_program),
        .write_row_i (write_row),
        .write_data_i(write_data),
        .read_i      (body_read_i[i]),
        .index_i     (body_pc_i[i]),
        .word_o      (body_word_o[i])
    );
  end

  // The parameter of a word: the address of a base, the value of a size.
  // verilator lint_off UNUSEDSIGNAL
  base_word_t base;  // the parameter's index alone
  size_word_t size;
  // verilator lint_on UNUSEDSIGNAL
  packet_index_t index;

  // verilator lint_off UNUSEDSIGNAL
  base_word_t decode_base;  // the parameter's index alone
  size_word_t decode_size;
  // verilator lint_on UNUSEDSIGNAL

  always_comb begin
    decode_base = decode_word_q;
    decode_size = decode_word_q;
    no_parameter = (decode_size.opcode == OpSize ? decode_size.value : 32'(decode_base.param))
        >= parameters_q;

    base = lookup_word_q;
    size = lookup_word_q;
    index = packet_index_t'(base.param);
    if (size.opcode == OpSize) index = packet_index_t'(size.value);
    index = index + 1'b1;  // after the version
  end

  image_memory #(
      .Words(ParameterWords)
  ) u_parameters (
      .clk_i,
      .first_i     (packet_first),
      .write_i     (write_packet),
      .write_row_i (write_row),
      .write_data_i(write_data),
      .read_i      (move),
      .index_i     (index),
      .word_o      (memory_parameter)
  );

  instruction_rom u_info (
      .clk_i,
      .read_i  (move),
      .opcode_i(memory_word[OpcodeBits-1:0]),
      .info_o  (lookup_info)
  );

  // While the opcode is looked up.
  word_facts_t lookup_facts, decode_facts_q;

  word_facts u_facts (
      .word_i (lookup_word_q),
      .facts_o(lookup_facts)
  );

  decoder u_decoder (
      .word_i   (decode_word_q),
      .info_i   (decode_info_q),
      .facts_i  (decode_facts_q),
      .decoded_o(decoded)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      read_q   <= '0;
      lookup_q <= '0;
      decode_q <= '0;
      ready_q  <= '0;
    end else begin
      if (move) begin
        read_q   <= '{valid: 1'b1, pc: fetch_pc_q};
        lookup_q <= read_q;
        decode_q <= lookup_q;
        ready_q  <= decode_q;
      end
      if (flush_i) begin
        read_q.valid   <= 1'b0;
        lookup_q.valid <= 1'b0;
        decode_q.valid <= 1'b0;
        ready_q.valid  <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    fetch_pc_q   <= fetch_pc_d;
    parameters_q <= dispatch_i.packet_words - 32'd1;  // the packet has a word at least
    if (move) begin
      lookup_word_q  <= memory_word;
      decode_word_q  <= lookup_word_q;
      decode_info_q  <= lookup_info;
      decode_facts_q <= lookup_facts;
      decoded_q      <= decoded;
      past_end_q     <= decode_q.pc == program_words;
      parameter_q    <= memory_parameter;
      no_parameter_q <= no_parameter;
    end
  end

  assign valid_o = ready_q.valid;
  assign pc_o = ready_q.pc;
  assign past_end_o = past_end_q;
  assign decoded_o = decoded_q;
  assign parameter_o = parameter_q;
  assign no_parameter_o = no_parameter_q;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      if (take_i) assert (ready_q.valid)
      else $error("no word to take");
    end
  end
`endif

endmodule
