"""What the product says itself, for those who show it: the server and the command line, which share nothing else."""
