"""The benchmark of dbdyno itself: what the generator costs, beside sysbench and pgbench.

``python -m bench`` runs it and prints its figures. What is compared is measured in turns within one
run and told as a ratio: absolute times drift from day to day and from machine to machine.
"""
