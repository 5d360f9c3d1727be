"""Who is answered, what is handed out, and that nothing is ever written."""

from __future__ import annotations

import shutil
import socket
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from signal import Signals

import pytest

from tests.live.run.launch import call
from tests.live.serve.served import LIMIT_S, Served

pytestmark = pytest.mark.live

OTHERS = ("POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "MOVE")


def own_address() -> str:
    """Return an address of this machine that is not its loopback; nothing is sent for that."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as unsent:
        try:
            unsent.connect(("192.0.2.1", 9))
        except OSError:
            pytest.skip("NOT TESTED: tokens of another address, of which this machine has none")
        return str(unsent.getsockname()[0])


def test_nothing_is_to_be_had_without_the_token(finished: Path, tmp_path: Path) -> None:
    host = own_address()
    paths = ("/", "/live/tiny", "/events/tiny", "/files/tiny/report.html", "/static/live.js")
    with Served(finished, tmp_path / "log", "--host", "0.0.0.0") as served:
        token = served.token
        assert token
        assert len(token) >= 40
        wrong = token[:-1] + ("a" if token[-1] != "a" else "b")
        for path in paths:
            refused = [
                served.ask(path, host=host),
                served.ask(f"{path}?token={wrong}", host=host),
                served.ask(f"{path}?token=", host=host),
                served.ask(path, host=host, Authorization=f"Bearer {wrong}"),
                served.ask(path, host=host, Cookie=f"dbdyno-{served.port}={wrong}"),
                served.ask(path, host=host, Cookie="dbdyno-1=\x01;=;;"),
            ]
            for answer in refused:
                assert answer.status == 401, (path, answer)
                assert "tiny" not in answer.body
        signed_in = served.ask(f"/live/tiny?token={token}&x=1", host=host)
        assert signed_in.status == 303
        assert signed_in.headers["Location"] == "/live/tiny?x=1"
        cookie = signed_in.headers["Set-Cookie"]
        assert "HttpOnly" in cookie
        assert "samesite=strict" in cookie.lower()
        kept = cookie.partition(";")[0]
        assert served.ask("/live/tiny", host=host, Cookie=kept).status == 200
        bearer = served.ask("/", host=host, Authorization=f"Bearer {token}")
        assert bearer.status == 200
        assert token not in bearer.body
        elsewhere = served.ask(f"//evil.example/?token={token}", host=host)
        assert elsewhere.headers["Location"].startswith("/")
        assert not elsewhere.headers["Location"].startswith("//")
        assert served.ask("/", host=host, Host="evil.example", Cookie=kept).status == 421


def test_a_token_that_is_given_is_kept(finished: Path, tmp_path: Path) -> None:
    given = {"DBDYNO_SERVE_TOKEN": "a-token-of-ones-own"}
    with Served(finished, tmp_path / "log", "--host", "0.0.0.0", environment=given) as served:
        assert served.token == "a-token-of-ones-own"
    refused = call(["serve", finished, "--host", "0.0.0.0"], environment={
        "DBDYNO_SERVE_TOKEN": "short"
    })  # fmt: skip
    assert refused.status == 2
    assert "at least 16" in refused.errors


def test_only_reading_is_answered_and_nothing_is_written(
    finished: Path, tmp_path: Path, checksums: Callable[[Path], dict[str, str]]
) -> None:
    before = checksums(finished)
    with Served(finished, tmp_path / "log") as served:
        for method in OTHERS:
            answer = served.ask("/live/tiny", method=method)
            assert answer.status == 405, method
            assert answer.headers["Allow"] == "GET, HEAD"
        for path in ("/", "/live/tiny", "/files/tiny/report.html", "/static/live.js"):
            assert served.ask(path, method="HEAD").body == ""
            answer = served.ask(path)
            assert answer.status == 200
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
            assert answer.headers["Cache-Control"] == "no-store"
        assert served.ask("/events/tiny", method="HEAD").status == 200
        assert "sandbox" in served.ask("/files/tiny/report.html").headers["Content-Security-Policy"]
    assert checksums(finished) == before


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "localhost.evil.example", "",
                                  "127.0.0.1.evil.example", "10.0.0.1"])  # fmt: skip
def test_another_name_for_this_machine_is_refused(
    host: str, finished: Path, tmp_path: Path
) -> None:
    with Served(finished, tmp_path / "log") as served:
        assert served.ask("/", Host=host).status == 421
        assert served.ask("/", Host=f"localhost:{served.port}").status == 200
        assert served.ask("/", Host="[::1]:9000").status == 200


def test_no_path_leads_out_and_no_raw_file_is_handed_out(finished: Path, tmp_path: Path) -> None:
    folder = tmp_path / "results"
    shutil.copytree(finished, folder)
    secret = tmp_path / "report.html"
    secret.write_text("secret")
    (folder / "tiny" / "report.secret.html").symlink_to(secret)
    (folder / "tiny" / "summary.html").symlink_to(folder / "tiny" / "experiment.yaml")
    (folder / "tiny" / "report.figures").symlink_to(tmp_path)
    (tmp_path / "a.svg").write_text("secret")
    (folder / "linked").symlink_to(tmp_path / "outside")
    shutil.copytree(finished / "tiny", tmp_path / "outside")
    with Served(folder, tmp_path / "log") as served:
        assert served.ask("/files/tiny/report.html").status == 200
        for name in (
            "plan.json", "journal.jsonl", "experiment.yaml", "trials/0001/trial.json", "",
            "report.secret.html", "summary.html", "report.figures/a.svg", "report.html/",
            "../../report.html", "%2e%2e/%2e%2e/report.html", "..%2f..%2freport.html",
            "report.html%00.html", "./report.html", "trials", "/etc/passwd",
        ):  # fmt: skip
            answer = served.ask(f"/files/tiny/{name}")
            assert answer.status == 404, name
            assert "secret" not in answer.body
        for path in (
            "/live/linked", "/live/..", "/live/", "/files/../../report.html", "/results",
            "/static/../app.py", "/static/app.py", "/files/linked/report.html",
        ):  # fmt: skip
            assert served.ask(path).status == 404, path
        assert "linked" not in served.ask("/").body


def test_a_wrong_call_says_what_would_be_right(finished: Path, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        for arguments, words in (
            ((finished, "--port", port), f"port {port} of 127.0.0.1 is in use"),
            ((tmp_path / "none",), "does not exist; name a result directory"),
            ((file,), "is no directory"),
            ((finished, "--lang", "fr"), "known: en, zh"),
            ((finished, "--host", "no.such.host.invalid"), "is no address of this machine"),
            ((finished, "--host", "192.0.2.7"), "192.0.2.7"),
        ):
            ended = call(["serve", *arguments])
            assert ended.status == 2, ended
            assert words in ended.errors


def test_many_streams_end_with_the_server(finished: Path, tmp_path: Path) -> None:
    readers = 30
    have_all = threading.Barrier(readers + 1)

    def read(served: Served) -> None:
        missing = {"event: points", "event: parts"}
        for line in served.lines("/events/tiny"):
            if line in missing:
                missing.remove(line)
                if not missing:
                    have_all.wait(LIMIT_S)
        assert not missing

    with Served(finished, tmp_path / "log") as served, ThreadPoolExecutor(readers) as pool:
        streams = [pool.submit(read, served) for _ in range(readers)]
        have_all.wait(LIMIT_S)
        assert served.stop(Signals.SIGINT) == 0
        for stream in streams:
            stream.result()
    assert "Traceback" not in served.told()


def test_a_folder_without_results_says_so(tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    with Served(tmp_path / "results", tmp_path / "log") as served:
        assert "There is no result here yet" in served.ask("/").body
        served.wait_until_told("has no result yet")
