"""Private servers on other hosts: the agent that runs one there, and what stands for it here."""
