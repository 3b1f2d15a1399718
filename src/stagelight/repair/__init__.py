"""Failure or finding → an edit spliced into the text, executed on both sides before it is offered."""
