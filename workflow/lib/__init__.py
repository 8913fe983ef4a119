"""What scripts, rules and the command line share."""
