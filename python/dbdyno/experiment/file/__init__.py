"""The experiment file: its models, its text with lines, and what is said when it is wrong."""
