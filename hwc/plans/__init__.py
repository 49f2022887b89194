"""Plans: the estimated cycles of each alternative at the sizes of a call, and the best choice."""
