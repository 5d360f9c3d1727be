"""What the limit was, by cell: codes and figures, no words."""
