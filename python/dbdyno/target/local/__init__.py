"""What it takes to run a private server on this machine: files, process, control group."""
