"""The command that go-tpc users know: its flags, its output, dbdyno's engine."""
