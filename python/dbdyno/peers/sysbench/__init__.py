"""The command that sysbench users know: its options, its output, dbdyno's engine."""
