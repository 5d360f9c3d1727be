"""What does not follow from the figures of a published table: a module a check."""
