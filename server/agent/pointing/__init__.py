"""What a user points at: kept with a picture of the page, sent with a message, found again before an act."""
