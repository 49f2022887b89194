// Walks the dimensions of a kernel from the innermost outwards, and the streams in each. Brings the
// inputs to their common size, compares the outputs with it, and gives the size to the canonical
// forms. 1 yields to any other size, 0 included. Without inputs the first output gives the sizes.
//
// The first fault is that of the first stream, and of its outermost dimension. A later one replaces
// it if it comes before it in that order.
//
// Timing: start_i in cycle t; a dimension takes D = max(MachineSetupDimension, streams + 1) cycles.
// With d = 0, 1, ... the sizes of the d-th dimension are asked for from cycle t + 1 + d * D on,
// one a cycle; size_i is there a cycle later. step_o is high from cycle t + 1 + (d + 1) * D on for
// the number of points, then for each stream; size_o is the dimension's from the cycle after the
// first of these to that after the last. busy_o falls after the last step; faulty_o, that there is
// a fault, and fault_o hold from then.
module shape_inference
  import hwc_isa_pkg::*;
  import hwc_stream_pkg::*;
  import hwc_core_pkg::*;
(
    input  logic                         clk_i,
    input  logic                         rst_ni,
    input  logic                         clear_i,
    input  logic                         start_i,
    input  stream_set_t                  configured_i,
    input  rank_t                        rank_i,        // the largest
    input  dimensions_t    [Streams-1:0] ones_i,
    output logic                         read_o,
    output stream_number_t               stream_o,
    output dimension_t                   dimension_o,
    input  size_t                        size_i,
    output logic                         step_o,
    output form_step_t                   form_step_o,
    output size_t                        size_o,
    output logic                         busy_o,
    output logic                         faulty_o,
    output fault_t                       fault_o
);

  if (MachineSetupDimension < 5) begin : gen_dimension_check
    $error("a product takes 5 cycles, MachineSetupDimension is %0d", MachineSetupDimension);
  end

  // The turn of a dimension: streams are asked for while the form of the dimension before is made.
  localparam int unsigned LastSlot = MachineSetupDimension - 1;
  typedef logic [$clog2(LastSlot+1)-1:0] slot_t;

  logic busy_d, busy_q, forms_d, forms_q, first_form_d, first_form_q, turn_ends;
  stream_set_t left_d, left_q;
  slot_t slot_d, slot_q;       // of the turn, stays at the last
  rank_t sizes_d, sizes_q;     // dimensions whose sizes are to be asked for
  dimension_t dimension_d, dimension_q, form_dimension_d, form_dimension_q;
  logic asked_d, asked_q, asked_last_d, asked_last_q;  // a stream in the cycle before
  stream_number_t asked_stream_d, asked_stream_q;

  always_comb begin
    stream_o = first_stream(left_q);
    asked_d = left_q != '0;
    asked_stream_d = stream_o;
    asked_last_d = (left_q & ~stream_mask(stream_o)) == '0;
    dimension_o = dimension_q;
    read_o = asked_d && sizes_q != '0;
    turn_ends = left_q == '0 && slot_q == slot_t'(LastSlot);

    busy_d = busy_q;
    forms_d = forms_q;
    first_form_d = first_form_q;
    left_d = left_q & ~stream_mask(stream_o);
    slot_d = slot_q == slot_t'(LastSlot) ? slot_q : slot_q + 1'b1;
    sizes_d = sizes_q;
    dimension_d = dimension_q;
    form_dimension_d = form_dimension_q;
    if (busy_q && turn_ends) begin
      busy_d = sizes_q != '0;
      forms_d = 1'b1;
      first_form_d = !forms_q;
      left_d = sizes_q != '0 ? configured_i : '0;
      slot_d = '0;
      if (sizes_q != '0) sizes_d = sizes_q - 1'b1;
      dimension_d = dimension_q - 1'b1;
      form_dimension_d = dimension_q;
    end
    if (start_i) begin
      busy_d = 1'b1;
      forms_d = 1'b0;
      left_d = configured_i;
      slot_d = '0;
      sizes_d = rank_i == '0 ? rank_t'(1) : rank_i;
      dimension_d = dimension_t'(RankMax - 1);
    end
    if (clear_i) begin
      busy_d = 1'b0;
      left_d = '0;
    end
  end

  assign step_o = busy_q && forms_q && (slot_q == '0 || asked_q);
  assign form_step_o = '{
    points: slot_q == '0,
    stream: asked_stream_q,
    one: slot_q != '0 && ones_i[asked_stream_q][form_dimension_q],
    first: first_form_q,
    last: sizes_q == '0,
    last_stream: asked_last_q
  };

  // Comparing, a cycle after asking.
  logic valid_d, valid_q, infers_d, infers_q, fresh_d, fresh_q;
  stream_number_t fault_stream_d, fault_stream_q;
  dimension_t size_dimension_q;
  size_t merged, merged_d, merged_q, size_q;
  logic mismatch, wrong_output, faulty_d, faulty_q;
  fault_t fault_d, fault_q;
  // A size that is wrong counts a cycle later: the comparison comes late.
  logic wrong_d, wrong_q, wrong_infers_q;
  stream_number_t wrong_stream_q;
  dimension_t wrong_dimension_q;

  always_comb begin
    valid_d = read_o;
    fresh_d = slot_q == '0;
    infers_d = !is_output_number(stream_o) || fresh_d;  // the first is an output: no inputs

    merged = fresh_q ? size_t'(1) : merged_q;
    merged_d = merged_q;
    if (valid_q) merged_d = infers_q && merged == size_t'(1) ? size_i : merged;
    mismatch = valid_q && infers_q
        && merged != size_t'(1) && size_i != size_t'(1) && size_i != merged;
    wrong_output = valid_q && !infers_q && size_i != merged;

    wrong_d = (mismatch || wrong_output) && !start_i;

    faulty_d = faulty_q || wrong_q;
    fault_d = fault_q;
    fault_stream_d = fault_stream_q;
    if (wrong_q && (!faulty_q || wrong_stream_q <= fault_stream_q)) begin
      fault_stream_d = wrong_stream_q;
      // The dimension counts within the largest rank.
      fault_d = '{
        code: wrong_infers_q ? FaultShapeMismatch : FaultOutputShape,
        stream: code_of(wrong_stream_q),
        dimension: wrong_dimension_q + dimension_t'(rank_i) - dimension_t'(RankMax)
      };
    end
    if (start_i) begin
      faulty_d = 1'b0;
      fault_d = NoFault;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q  <= 1'b0;
      left_q  <= '0;
      asked_q <= 1'b0;
      valid_q <= 1'b0;
      wrong_q <= 1'b0;
    end else begin
      busy_q  <= busy_d;
      left_q  <= left_d;
      asked_q <= asked_d;
      valid_q <= valid_d;
      wrong_q <= wrong_d;
    end
  end

  always_ff @(posedge clk_i) begin
    forms_q           <= forms_d;
    first_form_q      <= first_form_d;
    slot_q            <= slot_d;
    sizes_q           <= sizes_d;
    dimension_q       <= dimension_d;
    form_dimension_q  <= form_dimension_d;
    asked_stream_q    <= asked_stream_d;
    asked_last_q      <= asked_last_d;
    infers_q          <= infers_d;
    fresh_q           <= fresh_d;
    size_dimension_q  <= dimension_q;
    merged_q          <= merged_d;
    faulty_q          <= faulty_d;
    fault_q           <= fault_d;
    fault_stream_q    <= fault_stream_d;
    wrong_infers_q    <= infers_q;
    wrong_stream_q    <= asked_stream_q;
    wrong_dimension_q <= size_dimension_q;
    if (slot_q == '0) size_q <= merged_q;
  end

  assign size_o = size_q;
  assign busy_o = busy_q;
  assign faulty_o = faulty_q;
  assign fault_o = fault_q;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      if (start_i) assert (!busy_q)
      else $error("start_i while busy");
      if (slot_q == '0 && busy_q) assert (!valid_q)
      else $error("a dimension begins before the sizes of the last are compared");
    end
  end
`endif

endmodule
