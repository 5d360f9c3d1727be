"""Several generators that make one load, and behave like one to whoever hears them."""
