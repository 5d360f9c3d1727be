"""What runs on another host on behalf of a runner: it starts generators there, and ends with it."""
