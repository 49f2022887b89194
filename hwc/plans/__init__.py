"""Plans: what each alternative of a package would take at the sizes of a call, and the best one."""
