"""Parts of the runner, each with real processes."""
