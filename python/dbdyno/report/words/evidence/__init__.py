"""What checks found, in words: a sentence for each kind of evidence."""
