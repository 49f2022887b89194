// Functional coverage of streams and memory: patterns, types, strips, counters, bursts. Bound to
// `machine`; writes what all *_coverage modules counted to the file of +bins=FILE when the
// simulation ends.
module machine_coverage
  import hwc_isa_pkg::*;
  import hwc_target_pkg::*;
  import hwc_stream_pkg::*;
  import hwc_core_pkg::*;
  import coverage_pkg::*;
(
    input logic                                          clk_i,
    input logic                                          rst_ni,
    // Kernel.
    input logic                                          kernel_start,
    input kernel_t                                       kernel,
    input stream_shape_t [ InputStreams-1:0]             inputs,
    input output_shape_t [OutputStreams-1:0]             outputs,
    input stream_set_t                                   configured_i,
    input rank_t         [      Streams-1:0]             ranks_i,
    input counter_steps_t                                steps_i,
    // Streams.
    input logic                                          take_i,
    input segment_t      [ InputStreams-1:0][1:0]        plan_i,
    input logic          [ InputStreams-1:0]             cut,
    // Memory.
    input logic                                          accept_i,
    input read_request_t                                 request,
    input logic                                          request_valid,
    input logic                                          record_ready_i,
    input logic [InputStreams-1:0]                       stream_valid,
    input image_valid_t                                  image_valid,
    input logic                                          read_error,
    input logic                                          write_error,
    input logic                                          ar_valid_o,
    input logic                                          ar_ready_i,
    input logic                                          aw_valid_o,
    input logic                                          aw_ready_i,
    input address_t                                      aw_address_o,
    input logic          [              7:0]             aw_length_o,
    input logic                                          w_valid_o,
    input logic                                          w_ready_i,
    input strobe_t                                       w_strobe_o
);

  localparam longint unsigned Page = longint'(MachineWindowAlignment);

  // Letters of the levels that are not 1, outermost first: R repeats, D is data; `-` if all are.
  function automatic string pattern(stream_shape_t shape);
    size_t block;
    pattern = "";
    for (int unsigned level = 0; level < RepeatLevels; level++) begin
      if (shape.repeats[level] != size_t'(1)) pattern = {"R", pattern};
      if (level < DataLevels) begin
        block = shape.blocks[level];
        if (shape.blocks[level+1] != block) pattern = {"D", pattern};
      end
    end
    if (pattern == "") pattern = "-";
  endfunction

  // Repeats outside of data are held in the ring, all of them, the inner ones only, or none.
  function automatic string holding(stream_shape_t shape);
    level_t outermost;
    outermost = '0;
    for (int unsigned level = 1; level < RepeatLevels; level++) begin
      if (shape.repeats[level] != size_t'(1)) outermost = level_t'(level);
    end
    if (outermost == '0) return "streamed";
    if (shape.held == '0) return "refetched";
    return shape.held == outermost ? "held" : "partly";
  endfunction

  function automatic string amount(int unsigned count, int unsigned most);
    if (count == 0) return "none";
    if (count == most) return "all";
    return count == 1 ? "one" : "some";
  endfunction

  function automatic string few(int unsigned count);
    if (count <= 2) return count == 1 ? "one" : "two";
    return count <= MachineLandingStrips ? "to four" : "more";
  endfunction

  function automatic void burst(string channel, longint unsigned address, int unsigned beats);
    longint unsigned limit;
    limit = address + longint'(beats) * longint'(AxiBytes);
    hit($sformatf("burst %s %s", channel,
                  beats == 1 ? "one" : beats == BurstBeats ? "longest" : "some"));
    if (address % Page == 0) hit($sformatf("burst %s begins a page", channel));
    if (limit % Page == 0) hit($sformatf("burst %s ends a page", channel));
    assert (address / Page == (limit - 1) / Page)
    else $error("a burst from %h of %0d beats crosses a page", address, beats);
  endfunction

  function automatic string target_name(read_target_e target);
    unique case (target)
      ReadStream: return "stream";
      ReadProgram: return "program";
      default: return "packet";
    endcase
  endfunction

  int unsigned counted[CounterCount];  // cycles in which a counter counts
  int unsigned rank;
  string first, last;

  // Before the reset, registers hold random bits: nothing counts.
  always @(posedge clk_i) if (rst_ni) begin
    if (kernel_start) begin
      rank = 0;
      for (int unsigned i = 0; i < Streams; i++) begin
        if (configured_i[i] && 32'(ranks_i[i]) > rank) rank = 32'(ranks_i[i]);
      end
      for (int unsigned i = 0; i < InputStreams; i++) begin
        if (inputs[i].valid) begin
          hit($sformatf("pattern %s rank %0d", pattern(inputs[i]), rank));
          hit($sformatf("pattern %s %s", pattern(inputs[i]), holding(inputs[i])));
          hit($sformatf("type %s input", type_name(inputs[i].element_type)));
          hit($sformatf("type %s %s", type_name(inputs[i].element_type), holding(inputs[i])));
          if (inputs[i].base[WordShift-1:0] != '0) hit("input within a bus word");
        end
      end
      for (int unsigned o = 0; o < OutputStreams; o++) begin
        if (outputs[o].valid) begin
          hit($sformatf("type %s output", type_name(outputs[o].element_type)));
          if (outputs[o].base[WordShift-1:0] != '0) hit("output within a bus word");
          for (int unsigned i = 0; i < InputStreams; i++) begin
            if (inputs[i].valid && inputs[i].base == outputs[o].base) begin
              hit($sformatf("in place %s", type_name(outputs[o].element_type)));
            end
          end
        end
      end
      hit($sformatf("kernel inputs %s",
                    amount($countones(configured_i & AllInputs), InputStreams)));
      hit($sformatf("kernel outputs %s",
                    amount($countones(configured_i & ~AllInputs), OutputStreams)));
      hit($sformatf("kernel strips %s", few(32'(strips_of(kernel.points)))));
      hit($sformatf("kernel last strip %s",
                    kernel.points[VlenShift-1:0] == '0 ? "full" : "partial"));
      hit($sformatf("kernel body %s",
                    few(32'(kernel.body.phases[kernel.body.lane_last].group_end))));
      if (kernel.points == size_t'(1)) hit("kernel of one point");
    end
    for (int unsigned i = 0; i < CounterCount; i++) begin
      if (steps_i[i] != '0) counted[i] = counted[i] + 1;
    end
    if ($countones(cut) > 1) hit("cuts at once");
    if (take_i) begin
      for (int unsigned i = 0; i < InputStreams; i++) begin
        if (inputs[i].valid) begin
          hit($sformatf("fetch %s", plan_i[i][0].count == '0 && plan_i[i][1].count == '0 ? "nothing"
              : plan_i[i][0].count != '0 && plan_i[i][1].count != '0 ? "two runs" : "one run"));
        end
      end
    end
    if (accept_i) begin
      burst(target_name(request.tag.target), longint'(request.word) << WordShift,
            32'(request.beats));
      if (request.tag.target == ReadStream) begin
        first = request.tag.low == '0 ? "from its begin" : "from within";
        last = request.tag.high == word_count_t'(AxiBytes) ? "to its end" : "to within";
        if (request.beats == burst_count_t'(1)) hit($sformatf("word %s %s", first, last));
        else begin
          hit($sformatf("word %s to its end", first));
          hit($sformatf("word from its begin %s", last));
        end
      end
    end
    if (request_valid && !record_ready_i) hit("reads full");
    if (read_error) begin
      hit($sformatf("response error %s", target_name(stream_valid != '0 ? ReadStream
          : image_valid.of_program ? ReadProgram : ReadPacket)));
    end
    if (write_error) hit("response error write");
    if (ar_valid_o && !ar_ready_i) hit("wait ar");
    if (aw_valid_o && !aw_ready_i) hit("wait aw");
    if (w_valid_o && !w_ready_i) hit("wait w");
    if (aw_valid_o && aw_ready_i) burst("write", longint'(aw_address_o), 32'(aw_length_o) + 1);
    if (w_valid_o && w_ready_i) begin
      hit($sformatf("strobe %s %s", w_strobe_o[0] ? "from its begin" : "from within",
                    w_strobe_o[AxiBytes-1] ? "to its end" : "to within"));
    end
  end

  string path;
  counter_e counter;

  final begin
    for (int unsigned i = 0; i < CounterCount; i++) begin
      counter = counter_e'(i);
      if (counted[i] != 0) counts[{"counter ", counter.name()}] = counted[i];
    end
    if ($value$plusargs("bins=%s", path) != 0) write_counts(path);
  end

endmodule

// A name that the module has not would be a wire without a driver.
`default_nettype none

bind machine machine_coverage u_coverage (
    .kernel_start  (fetch_start),
    .kernel        (u_control.u_sequencer.u_takeover.next_q),
    .inputs        (fetch_inputs),
    .outputs       (u_control.u_sequencer.u_takeover.next_outputs_q),
    .configured_i  (u_control.u_sequencer.configured),
    .ranks_i       (u_control.u_sequencer.u_streams.u_table.ranks_q),
    .steps_i       (u_control.steps),
    .take_i        (u_inputs.take),
    .plan_i        (u_inputs.plan),
    .accept_i      (u_reads.accept),
    .record_ready_i(u_reads.record_ready),
    .*
);

`default_nettype wire
