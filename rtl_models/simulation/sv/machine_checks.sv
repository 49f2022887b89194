// Checks of the machine in any bench that contains it. Bound modules check the rules of its bus,
// and that its queues are empty whenever the machine does not run. The bench calls its machine
// u_machine and instantiates this once; an error stops the simulation.
module machine_checks;

  bind machine axi_checker u_axi_checker (
      .clk_i,
      .rst_ni,
      .running_i   (u_control.running),
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

  bind pulse_counter queue_checker #(
      .Bits(Bits),
      .Rest(Initial)
  ) u_rest (
      .clk_i,
      .rst_ni,
      .running_i(u_machine.u_control.running),
      .count_i  (count_o)
  );

  bind fifo queue_checker u_rest (
      .clk_i,
      .rst_ni,
      .running_i(u_machine.u_control.running),
      .count_i  (valid_o)
  );

endmodule
