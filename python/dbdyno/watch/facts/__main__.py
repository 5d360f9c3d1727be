"""``python -m dbdyno.watch.facts``: the facts of the host that it runs on, as JSON.

For hosts of a campaign on which nothing of dbdyno runs otherwise, and for network namespaces.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from dbdyno.watch.facts.host import host_facts


def main() -> None:
    """Print the facts."""
    parser = argparse.ArgumentParser(prog="python -m dbdyno.watch.facts", description=__doc__)
    parser.add_argument(
        "--directory", type=Path, default=Path(), help="where files are to be written (default: .)"
    )
    parser.add_argument(
        "--probe", action="store_true", help="write there for at most 3 s to see how fast it is"
    )
    arguments = parser.parse_args()
    if not arguments.directory.is_dir():
        parser.error(f"{arguments.directory} is no directory")
    facts = host_facts(arguments.directory, probes=arguments.probe)
    print(json.dumps(facts.to_document(), indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main()
