"""The commands of other tools: their options and files in, their output out."""
