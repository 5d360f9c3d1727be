"""A page becomes a script that does what the page says, in its order."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from docs_build.walk import script_of

from tests.unit.docs.pages import DOCS

PAGE = """\
# A page

```sh
export WORD=seen
mkdir folder && cd folder
```

Here is what `ls` prints:

```
no command
```

Save this as `one.yaml`. It costs $5:

```yaml
experiment: $one
```

1. Then

   ```sh
   echo "$WORD" > word
   ```
"""


def run(script: str, directory: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash"], input=script, cwd=directory, capture_output=True, text=True, check=False
    )


def test_commands_run_in_one_shell_and_files_are_saved(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    ended = run(script_of(page), tmp_path)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.split() == ["==", "page.md:3", "==", "page.md:16", "==", "page.md:22"]
    assert (tmp_path / "folder" / "one.yaml").read_text() == "experiment: $one\n"
    assert (tmp_path / "folder" / "word").read_text() == "seen\n"


def test_it_ends_where_a_command_fails(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```sh\nfalse\n```\n\n```sh\ntouch reached\n```\n")
    assert run(script_of(page), tmp_path).returncode == 1
    assert not (tmp_path / "reached").exists()


def test_an_experiment_without_a_name_is_told(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("Try this:\n\n```yaml\nexperiment: one\n```\n")
    with pytest.raises(ValueError, match=r"page\.md:3: nothing before the block"):
        script_of(page)


def test_the_tutorial_can_be_followed(tmp_path: Path) -> None:
    script = script_of(DOCS / "tutorial.md")
    checked = subprocess.run(["bash", "-n"], input=script, text=True, check=False)
    assert checked.returncode == 0
    assert script.count("cat > ") >= 5
