"""Characters at which `str.splitlines` ends a line. In texts of others a line ends at `\\n` only."""

SEPARATORS = ("\u2028", "\u2029", "\u0085", "\u000b", "\u000c", "\u001c", "\u001d", "\u001e", "\r")
