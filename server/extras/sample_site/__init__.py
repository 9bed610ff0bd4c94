"""A small site to try the assistant on: a shop, mail, a calendar, a price list and a login, all made up."""
