// The machine's side of its AXI4 bus: register slices that cut ready, and what every burst says of
// itself. Bursts are incrementing, of whole bus words. Cache, protection and quality of service are
// what attributes_i has when the burst comes, and stay so until it is taken. All transactions have
// the id 0, so that memory answers in order.
//
// Timing: while memory is ready, an address or a word is on the bus in the cycle in which it comes.
// No ready of the bus leads to a ready of the machine in the same cycle. Read data and responses go
// to the masters, which take them into registers.
module axi_port
  import hwc_stream_pkg::*;
#(
    parameter int unsigned IdBits = 1
) (
    input  logic                     clk_i,
    input  logic                     rst_ni,
    input  bus_attributes_t          attributes_i,
    // The machine.
    input  logic                     read_valid_i,
    output logic                     read_ready_o,
    input  burst_t                   read_i,
    input  logic                     write_valid_i,
    output logic                     write_ready_o,
    input  burst_t                   write_i,
    input  logic                     word_valid_i,
    output logic                     word_ready_o,
    input  write_word_t              word_i,
    // The bus.
    output logic                     ar_valid_o,
    input  logic                     ar_ready_i,
    output logic        [IdBits-1:0] ar_id_o,
    output address_t                 ar_address_o,
    output logic        [       7:0] ar_length_o,
    output logic        [       2:0] ar_size_o,
    output logic        [       1:0] ar_burst_o,
    output logic                     ar_lock_o,
    output logic        [       3:0] ar_cache_o,
    output logic        [       2:0] ar_prot_o,
    output logic        [       3:0] ar_qos_o,
    output logic                     aw_valid_o,
    input  logic                     aw_ready_i,
    output logic        [IdBits-1:0] aw_id_o,
    output address_t                 aw_address_o,
    output logic        [       7:0] aw_length_o,
    output logic        [       2:0] aw_size_o,
    output logic        [       1:0] aw_burst_o,
    output logic                     aw_lock_o,
    output logic        [       3:0] aw_cache_o,
    output logic        [       2:0] aw_prot_o,
    output logic        [       3:0] aw_qos_o,
    output logic                     w_valid_o,
    input  logic                     w_ready_i,
    output word_t                    w_data_o,
    output strobe_t                  w_strobe_o,
    output logic                     w_last_o
);

  if (IdBits < 1) begin : gen_id_check
    $error("ids need at least 1 bit, got %0d", IdBits);
  end

  localparam logic [2:0] Size = 3'(WordShift);
  localparam logic [1:0] Incrementing = 2'b01;

  typedef struct packed {
    burst_t burst;
    burst_attributes_t attributes;
  } announced_t;

  announced_t read, write;
  write_word_t word;

  ready_slice #(
      .data_t(announced_t)
  ) u_read (
      .clk_i,
      .rst_ni,
      .valid_i(read_valid_i),
      .ready_o(read_ready_o),
      .data_i ({read_i, attributes_i.read}),
      .valid_o(ar_valid_o),
      .ready_i(ar_ready_i),
      .data_o (read)
  );

  ready_slice #(
      .data_t(announced_t)
  ) u_write (
      .clk_i,
      .rst_ni,
      .valid_i(write_valid_i),
      .ready_o(write_ready_o),
      .data_i ({write_i, attributes_i.write}),
      .valid_o(aw_valid_o),
      .ready_i(aw_ready_i),
      .data_o (write)
  );

  ready_slice #(
      .data_t(write_word_t)
  ) u_word (
      .clk_i,
      .rst_ni,
      .valid_i(word_valid_i),
      .ready_o(word_ready_o),
      .data_i (word_i),
      .valid_o(w_valid_o),
      .ready_i(w_ready_i),
      .data_o (word)
  );

  assign ar_id_o = '0;
  assign ar_address_o = read.burst.address;
  assign ar_length_o = read.burst.length;
  assign ar_size_o = Size;
  assign ar_burst_o = Incrementing;
  assign ar_lock_o = 1'b0;
  assign ar_cache_o = read.attributes.cache;
  assign ar_prot_o = read.attributes.prot;
  assign ar_qos_o = read.attributes.qos;

  assign aw_id_o = '0;
  assign aw_address_o = write.burst.address;
  assign aw_length_o = write.burst.length;
  assign aw_size_o = Size;
  assign aw_burst_o = Incrementing;
  assign aw_lock_o = 1'b0;
  assign aw_cache_o = write.attributes.cache;
  assign aw_prot_o = write.attributes.prot;
  assign aw_qos_o = write.attributes.qos;

  assign w_data_o = word.data;
  assign w_strobe_o = word.strobe;
  assign w_last_o = word.last;

endmodule
