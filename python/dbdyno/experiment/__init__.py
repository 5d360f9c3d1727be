"""From an experiment file to the plan of all its trials; nothing here starts anything."""
