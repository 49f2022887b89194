// Looks for an output that shares bytes with a stream of a lower number. An input with the same
// elements in the same order is allowed: strips are read before they are written.
//
// Timing: start_i in cycle t; busy_o is high from cycle t + 1 for 3 cycles per output, one per
// stream that the output is compared with, and 1 more. Then found_o and stream_o, the first such
// output, hold until the next start_i. extent_i is the extent that read_o asked for a cycle before.
module overlap_check
  import hwc_core_pkg::*;
(
    input  logic           clk_i,
    input  logic           rst_ni,
    input  logic           start_i,
    input  stream_set_t    configured_i,
    output logic           read_o,
    output stream_number_t read_stream_o,
    input  extent_t        extent_i,
    output logic           busy_o,
    output logic           found_o,
    output stream_number_t stream_o
);

  typedef enum logic [1:0] {
    Idle,
    Select,
    Take,
    Compare
  } state_e;

  state_e state_d, state_q;
  stream_set_t outputs_d, outputs_q, others_d, others_q;
  stream_number_t output_d, output_q, other;
  extent_t extent_d, extent_q;
  logic compare_d, compare_q, is_input_d, is_input_q;
  logic found_d, found_q;
  stream_number_t stream_d, stream_q;
  logic disjoint, same;

  always_comb begin
    state_d = state_q;
    outputs_d = outputs_q;
    others_d = others_q;
    output_d = output_q;
    extent_d = extent_q;
    compare_d = 1'b0;
    is_input_d = is_input_q;
    found_d = found_q;
    stream_d = stream_q;
    other = first_stream(others_q);
    read_o = 1'b0;
    read_stream_o = other;

    unique case (state_q)
      Idle: begin
        if (start_i) begin
          state_d = Select;
          outputs_d = configured_i & ~AllInputs;
          found_d = 1'b0;
          stream_d = '0;
        end
      end
      Select: begin
        output_d = first_stream(outputs_q);
        outputs_d = outputs_q & ~stream_mask(output_d);
        others_d = configured_i & (stream_mask(output_d) - 1'b1);
        read_o = outputs_q != '0;
        read_stream_o = output_d;
        state_d = outputs_q != '0 ? Take : Idle;
      end
      Take: begin
        extent_d = extent_i;
        state_d = Compare;
      end
      Compare: begin
        read_o = others_q != '0;
        compare_d = others_q != '0;
        is_input_d = !is_output_number(other);
        others_d = others_q & ~stream_mask(other);
        if (others_q == '0) state_d = Select;
      end
      default: state_d = Idle;
    endcase

    disjoint = extent_q.empty || extent_i.empty
        || extent_q.limit <= extent_i.first || extent_i.limit <= extent_q.first;
    same = is_input_q && extent_i.dense && extent_i.first == extent_q.first
        && extent_i.element_type == extent_q.element_type;
    if (compare_q && !disjoint && !same && !found_q) begin
      found_d = 1'b1;
      stream_d = output_q;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q   <= Idle;
      compare_q <= 1'b0;
      found_q   <= 1'b0;
    end else begin
      state_q   <= state_d;
      compare_q <= compare_d;
      found_q   <= found_d;
    end
  end

  always_ff @(posedge clk_i) begin
    outputs_q  <= outputs_d;
    others_q   <= others_d;
    output_q   <= output_d;
    extent_q   <= extent_d;
    is_input_q <= is_input_d;
    stream_q   <= stream_d;
  end

  assign busy_o = state_q != Idle;
  assign found_o = found_q;
  assign stream_o = stream_q;

endmodule
