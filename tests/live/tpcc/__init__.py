"""TPC-C tables on real databases."""
