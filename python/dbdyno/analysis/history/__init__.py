"""Many results of one experiment, over weeks and months: where the level changed."""
