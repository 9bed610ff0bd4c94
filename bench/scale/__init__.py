"""Several processes: what more workers bring, and how long a change of process takes."""
