"""``python -m dbdyno`` is the ``dbdyno`` command."""

from dbdyno.cli import main

if __name__ == "__main__":
    main()
