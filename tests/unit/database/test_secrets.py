"""Which settings are shown, and which only in part or not at all."""

from __future__ import annotations

import pytest

from dbdyno.database.secrets import may_hold_a_secret, shown_setting
from dbdyno.experiment.file.target import MysqlTarget


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("report_password", "hunter2"),
        ("wsrep_sst_auth", "sst:hunter2"),
        ("file_key_management_filekey", "hunter2"),
        ("authentication_ldap_simple_bind_root_pwd", "hunter2"),
        ("hashicorp_key_management_token", "hunter2"),
        ("keyring_hashicorp_secret_id", "hunter2"),
        ("ssl_passphrase_command", "echo hunter2"),
        ("app.jwt_secret", "hunter2"),
        ("app.api_key", "hunter2"),
    ],
)
def test_a_setting_that_is_a_secret_is_not_shown(name: str, value: str) -> None:
    assert shown_setting(name, value) == "***"


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("init_connect", "SET @a='hunter2'", "SET @a='***'"),
        (
            "init_connect",
            "SET NAMES 'utf8mb4'; CALL f(\"hun''ter2\")",
            "SET NAMES 'utf8mb4'; CALL f('***')",
        ),
        ("init_connect", r"SET sql_mode='ANSI', @a='\'hunter2'", "SET sql_mode='ANSI', @a='***'"),
        ("init_connect", "SET PASSWORD = PASSWORD('hunter2')", "SET PASSWORD = ***"),
        ("init_replica", "SET @x := 'hunter2'", "SET @x := '***'"),
        ("primary_conninfo", "host=a password='hun ter2' user=u", "host=a password=*** user=u"),
        ("archive_command", "PGPASSWORD=hunter2 x %p", "PGPASSWORD=*** x %p"),
        ("archive_command", "aws --token hunter2 cp %p", "aws --token *** cp %p"),
        ("wsrep_cluster_address", "gcomm://u:hunter2@h", "gcomm://u:***@h"),
    ],
)
def test_a_secret_in_a_setting_is_masked(name: str, value: str, shown: str) -> None:
    assert shown_setting(name, value) == shown


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("old_passwords", "OFF"),
        ("secure_auth", "ON"),
        ("sql_require_primary_key", "OFF"),
        ("max_seeks_for_key", "4294967295"),
        ("default_password_lifetime", "0"),
        ("password_encryption", "scram-sha-256"),
        ("caching_sha2_password_private_key_path", "private_key.pem"),
        ("ssl_key", "/etc/mysql/key.pem"),
        ("innodb_ft_max_token_size", "84"),
        ("report_password", ""),
        ("optimizer_switch", "index_merge=on,mrr=off"),
        ("init_connect", r"SET @b = '\\ #'"),
    ],
)
def test_what_is_only_about_secrets_is_shown(name: str, value: str) -> None:
    assert shown_setting(name, value) == value


@pytest.mark.parametrize(
    "text",
    [
        "[client]\npassword = hunter2",
        "# password: hunter2",
        'report_password="hunter2"',
        "init_connect = \"SET @a = 'hunter2'\"",
        "CREATE USER u IDENTIFIED BY 'hunter2'",
        "ALTER USER u IDENTIFIED WITH mysql_native_password BY 'hunter2'",
        "server --admin-password hunter2",
        "mysql -uroot -phunter2 test",
        "curl -u root:hunter2 host",
        "url: mysql://root:hunter2@host/db",
        '{"api_token": "hunter2"}',
        "export PGPASSWORD=hunter2",
        "auth_key: hunter2",
        "-----BEGIN RSA PRIVATE KEY-----",
    ],
)
def test_a_text_that_may_hold_a_secret(text: str) -> None:
    assert may_hold_a_secret(f"[mysqld]\n{text}\nport = 3306\n")


@pytest.mark.parametrize(
    "text",
    [
        "password: {{ password }}",
        'password: "{password}"',
        "MYSQL_PWD=$PASSWORD mysql -uroot -p$PASSWORD",
        ": ${PASSWORD:?set it}",
        "CREATE USER u IDENTIFIED BY '{{ password }}'",
        "url: mysql://root:{password}@host/db",
        "url: mysql://root@host:3306/db",
        "# A password is asked for.",
        "secure_auth = ON",
        "password =",
        "innodb_buffer_pool_size = 1G",
        "mysqldump --port 3306",
    ],
)
def test_a_text_without_one(text: str) -> None:
    assert not may_hold_a_secret(f"[mysqld]\n{text}\nport = 3306\n")


def test_an_experiment_may_not_set_a_secret() -> None:
    with pytest.raises(ValueError, match="report_password seems to hold a secret") as refused:
        MysqlTarget.model_validate({"set": {"report_password": "hunter2"}})
    assert "hunter2" not in refused.value.errors()[0]["msg"]  # type: ignore[attr-defined]
