"""Which words of a call other users of the machine may see."""

from dbdyno.cli.title import shown_words


def test_no_part_of_a_password_is_shown() -> None:
    for secret in ("simple", "ab&cd", "my secret pw", "a=b", "new\nline"):
        shown = shown_words(
            ["sysbench", "--threads=4", f"--mysql-password={secret}", f"host=h password='{secret}'"]
        )
        assert shown[:3] == ["sysbench", "--threads=4", "--mysql-password=***"]
        assert not any(part in shown[3] for part in secret.split())
    assert shown_words(["check", "mysql://u:s3cret@h/d"]) == ["check", "mysql://u:***@h/d"]
    assert shown_words(["tpcc-mysql", "start", "h", "d", "u", "pw"]) == [
        "tpcc-mysql",
        "start",
        "***",
    ]
    for words in (["-p", "s3cret", "tpcc", "run"], ["tpcc", "run", "-ps3cret"]):
        assert shown_words(["go-tpc", *words]) == ["go-tpc", "tpcc", "run", "***"]
    assert shown_words(["tpcc-mysql", "-ps3cret", "load"]) == ["tpcc-mysql", "load", "***"]
    assert shown_words(["go-tpc", "tpcc", "check"]) == ["go-tpc", "tpcc", "check"]
    assert shown_words(["run", "a.yaml"]) == ["run", "a.yaml"]
