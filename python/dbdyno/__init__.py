"""dbdyno: a dynamometer for transactional databases."""

__version__ = "0.1.0"
