"""TPC-C's own requirements, held against what trials have measured. No result of these is TPC's."""
