"""The commands that tpcc-mysql users know: their options, their output, dbdyno's engine."""
