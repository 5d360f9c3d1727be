"""TPC-C's atomicity (clause 3.2) and isolation (clause 3.4), tried on tables that are there.

The transactions are written as programs that can stop at any statement; a scenario has the two
connections on which they meet; ``check`` carries out all tests. Consistency is ``dbdyno.tpcc``'s,
durability ``dbdyno.tpcc.durability``'s. Nothing is imported here, so that the process of a
connection is there at once.
"""
