"""What dbdyno and its generators say to each other: plans one way, events the other.

Both are JSON, as ARCHITECTURE.md has it. Here they are types: whoever makes a plan or reads an
event uses these, and only the process at the border sees JSON.
"""
