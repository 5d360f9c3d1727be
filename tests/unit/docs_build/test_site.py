"""The documentation site: it builds without a warning, its links hold, and it needs no network."""

import re
import shutil
from pathlib import Path

import pytest
from docs_build.check import broken_links, loaded_from_elsewhere
from docs_build.navigation import SECTIONS
from docs_build.site import build_site, run_sphinx
from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[3]

# MyST's own; the lock keeps Sphinx below the version that takes it away.
pytestmark = pytest.mark.filterwarnings("ignore:.*MystReferenceResolver.app")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A built site."""
    folder = tmp_path_factory.mktemp("documentation") / "site"
    assert build_site(ROOT, folder) == 0, "Sphinx has told of warnings"
    return folder


def test_each_link_of_the_site_leads_somewhere(site: Path) -> None:
    assert broken_links(site) == []


def test_the_site_needs_no_network(site: Path) -> None:
    assert loaded_from_elsewhere(site) == []


def test_each_page_is_in_a_section(site: Path) -> None:
    front = (site / "index.html").read_text()
    pages = [page.path for section in SECTIONS for page in section.pages]
    assert [path for path in pages if f'href="{path}.html"' not in front] == []


def test_a_page_of_checks_leads_to_what_is_said_of_each(site: Path) -> None:
    page = (site / "docs" / "checks.html").read_text()
    assert 'href="reference/warnings.html#warning-generator-late"' in page


def test_a_link_that_leads_nowhere_fails_the_build(
    site: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for what in ("site-sources", "site-parsed"):
        shutil.copytree(site.with_name(what), tmp_path / what)
    page = tmp_path / "site-sources" / "CHANGELOG.md"
    page.write_text("# Changes\n\n[x](docs/nothing.md) [y](docs/compare.md#no-such-place)\n")
    assert run_sphinx(page.parent, tmp_path / "site", page) != 0
    told = capsys.readouterr().err
    assert "docs/nothing.md" in told
    assert "no-such-place" in told


@pytest.mark.parametrize(
    ("page", "broken"),
    [
        ('<a href="other.html">', ["index.html: other.html"]),
        ('<a href="#there">', ["index.html: #there"]),
        ('<a href="#here">', []),
        ('<a href="index.html#here">', []),
        ('<a href="index.html#there">', ["index.html: index.html#there"]),
        ('<a href="https://example.org/">', []),
    ],
)
def test_broken_links_are_found(tmp_path: Path, page: str, broken: list[str]) -> None:
    (tmp_path / "index.html").write_text(f'<p id="here">{page}x</a></p>')
    assert broken_links(tmp_path) == broken


@pytest.mark.parametrize(
    ("page", "is_found"),
    [
        ('<script src="https://cdn.example.org/a.js"></script>', True),
        ('<link rel="stylesheet" href="//fonts.example.org/css">', True),
        ('<img src="../outside.png">', True),
        ("<style>@import url(https://fonts.example.org/css);</style>", True),
        ('<p style="background: url(http://example.org/a.png)">', True),
        ('<img src="inside.png">', False),
        ('<a href="https://example.org/">only a link</a>', False),
        ('<img src="data:image/png;base64,AAAA">', False),
    ],
)
def test_what_is_loaded_from_elsewhere_is_found(tmp_path: Path, page: str, is_found: bool) -> None:
    (tmp_path / "index.html").write_text(page)
    assert bool(loaded_from_elsewhere(tmp_path)) == is_found


def test_each_link_in_the_repository_leads_to_a_file_there() -> None:
    pages = [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "experiments").rglob("*.md"),
    ]
    assert [broken for page in pages for broken in broken_in(page)] == []


def test_a_link_to_no_file_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("[a](page.md#x) [b](nothing.md) [c](https://example.org) `[d](nothing.md)`")
    assert broken_in(page) == [f"{page}: nothing.md"]


def broken_in(page: Path) -> list[str]:
    """Return the links of a page that lead to no file beside it."""
    tokens = MarkdownIt().parse(page.read_text())
    inline = [child for token in tokens for child in token.children or ()]
    links = [str(each.attrGet("href") or each.attrGet("src") or "") for each in inline]
    paths = [re.sub(r"#.*", "", link) for link in links if ":" not in link]
    return [f"{page}: {path}" for path in paths if path and not (page.parent / path).exists()]
