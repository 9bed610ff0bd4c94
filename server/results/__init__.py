"""Results as tables: the columns that a message asks for, the rows that its run records, and their files."""
