"""TPC-C by options alone: what is asked for, loading, running, what comes out.

The commands in the form of BenchmarkSQL and tpcc-mysql stand on it; ``dbdyno tpcc`` is its own.
"""
