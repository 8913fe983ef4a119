"""From the plan to merged results: shards on the ranks of an MPI world."""
