"""How steady throughput was within trials: its spread, its dips and what came with them."""
