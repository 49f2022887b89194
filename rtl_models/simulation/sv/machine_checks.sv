// Checks of the machine in any bench that contains it. Bound modules check the rules of its ports,
// and that its queues are empty whenever the machine does not run. The bench calls its machine
// u_machine and instantiates this once; an error stops the simulation.
// A name that the module has not would be a wire without a driver.
`default_nettype none

module machine_checks;

  bind machine axi_checker u_axi_checker (
      .clk_i,
      .rst_ni,
      .running_i   (u_control.running),
      .draining_i  (u_control.draining_o),
      .ar_valid_i  (ar_valid_o),
      .ar_ready_i,
      .ar_address_i(ar_address_o),
      .ar_length_i (ar_length_o),
      .r_valid_i,
      .r_ready_i   (r_ready_o),
      .r_last_i,
      .aw_valid_i  (aw_valid_o),
      .aw_ready_i,
      .aw_address_i(aw_address_o),
      .aw_length_i (aw_length_o),
      .w_valid_i   (w_valid_o),
      .w_ready_i,
      .w_data_i    (w_data_o),
      .w_strobe_i  (w_strobe_o),
      .w_last_i    (w_last_o),
      .b_valid_i,
      .b_ready_i   (b_ready_o)
  );

  bind machine axi_burst_checker #(
      .IdBits(IdBits)
  ) u_ar_checker (
      .clk_i,
      .rst_ni,
      .attributes_i(u_control.bus_attributes_o.read),
      .valid_i(ar_valid_o),
      .ready_i(ar_ready_i),
      .id_i   (ar_id_o),
      .size_i (ar_size_o),
      .burst_i(ar_burst_o),
      .lock_i (ar_lock_o),
      .cache_i(ar_cache_o),
      .prot_i (ar_prot_o),
      .qos_i  (ar_qos_o)
  );

  bind machine axi_burst_checker #(
      .IdBits(IdBits)
  ) u_aw_checker (
      .clk_i,
      .rst_ni,
      .attributes_i(u_control.bus_attributes_o.write),
      .valid_i(aw_valid_o),
      .ready_i(aw_ready_i),
      .id_i   (aw_id_o),
      .size_i (aw_size_o),
      .burst_i(aw_burst_o),
      .lock_i (aw_lock_o),
      .cache_i(aw_cache_o),
      .prot_i (aw_prot_o),
      .qos_i  (aw_qos_o)
  );

  bind machine host_checker u_host_checker (
      .clk_i,
      .rst_ni,
      .b_valid_i   (host_b_valid_o),
      .b_ready_i   (host_b_ready_i),
      .b_response_i(host_b_response_o),
      .r_valid_i   (host_r_valid_o),
      .r_ready_i   (host_r_ready_i),
      .r_data_i    (host_r_data_o),
      .r_response_i(host_r_response_o)
  );

  bind pulse_counter queue_checker #(
      .Bits(Bits),
      .Rest(Initial)
  ) u_rest (
      .clk_i,
      .rst_ni,
      .running_i(u_machine.u_control.running),
      .count_i  (count_q)
  );

  bind fifo queue_checker u_rest (
      .clk_i,
      .rst_ni,
      .running_i(u_machine.u_control.running),
      .count_i  (valid_o)
  );

  bind shift_queue queue_checker u_rest (
      .clk_i,
      .rst_ni,
      .running_i(u_machine.u_control.running),
      .count_i  (some_o)
  );

endmodule

`default_nettype wire
