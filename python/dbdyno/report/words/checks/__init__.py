"""What each check says, by its code."""
