"""What would spoil a benchmark here: looked for on this machine and on a server, with advice."""
