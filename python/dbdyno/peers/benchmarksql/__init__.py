"""The commands that BenchmarkSQL users know: its property files, its output, dbdyno's engine."""
