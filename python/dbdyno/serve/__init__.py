"""Results and running experiments in the browser: reads what a run writes, and writes nothing.

Files of a result → ``follower`` → ``feed`` → ``stream`` → the page. A run knows nothing of it.
"""
