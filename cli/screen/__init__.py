"""What is shown: the state of a session as items, and how a terminal shows them."""
