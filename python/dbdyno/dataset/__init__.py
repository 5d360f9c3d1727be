"""Datasets: loading, and snapshots of what was loaded, restored before trials."""

from dbdyno.dataset.load import Dataset, Loader
from dbdyno.dataset.snapshot import Snapshots

__all__ = ["Dataset", "Loader", "Snapshots"]
