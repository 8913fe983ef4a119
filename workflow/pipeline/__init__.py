"""From a plan to merged results, on the ranks of an MPI world."""
