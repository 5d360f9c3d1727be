"""Figures that Prometheus' exporters tell of hosts and servers, under dbdyno's own names."""
