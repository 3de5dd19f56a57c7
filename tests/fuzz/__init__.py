"""Files and labels that nobody meant: a small corpus, damaged at random, must be read or refused, and nothing else."""
