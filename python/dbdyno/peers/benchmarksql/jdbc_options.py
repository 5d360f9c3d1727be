"""What JDBC options come to here, as tables: those that are translated, and why others are not."""

from __future__ import annotations

JAVA_ALONE = "a matter of the Java driver"
NO_CHARSET = "everything is sent as UTF-8"
NO_RECONNECT = "a connection that is lost is made again"
NO_STICKINESS = "a connection stays with its host; others fail over when they are made"

TRANSLATED = {
    *("user", "password", "sslMode", "useSSL", "requireSSL", "verifyServerCertificate"),
    *("trustServerCertificate", "disableSslHostnameVerification"),
    *("sslmode", "ssl", "sslrootcert", "serverSslCert", "ssl_ca", "allowPublicKeyRetrieval"),
    *("useServerPrepStmts", "rewriteBatchedStatements", "reWriteBatchedInserts"),
    *("preferQueryMode", "prepareThreshold", "connectTimeout", "socketTimeout", "loginTimeout"),
    *("loadBalanceHosts", "sessionVariables", "localSocket"),
    *("currentSchema", "options", "ApplicationName"),
}

SESSION_PARAMETERS = {
    "currentSchema": "search_path",
    "options": "options",
    "ApplicationName": "application_name",
}
"""Options of PgJDBC, and what they are called at sign-on."""

NO_EFFECT = {
    "autoReconnect": NO_RECONNECT,
    "failOverReadOnly": NO_STICKINESS,
    "cachePrepStmts": "a statement is prepared once in each connection",
    "prepStmtCacheSize": "a statement is prepared once in each connection",
    "prepStmtCacheSqlLimit": "a statement is prepared once in each connection",
    "characterEncoding": NO_CHARSET,
    "useUnicode": NO_CHARSET,
    "connectionCollation": NO_CHARSET,
    "serverTimezone": "times are written as they are",
    "connectionTimeZone": "times are written as they are",
    "zeroDateTimeBehavior": JAVA_ALONE,
    "useConfigs": JAVA_ALONE,
    "useLocalSessionState": "no statement is sent about the session's state",
    "elideSetAutoCommits": "no statement is sent about autocommit",
    "cacheServerConfiguration": "nothing of the server's configuration is asked for",
    "maintainTimeStats": JAVA_ALONE,
    "useCompression": "connections are not compressed",
    "tcpKeepAlive": "a server that is silent is given up at the statement's limit",
    "tcpNoDelay": "it is always on",
    "loadBalanceBlacklistTimeout": "a host that failed is tried last for a second",
    "loadBalanceAutoCommitStatementThreshold": NO_STICKINESS,
    "loadBalanceStrategy": "connections are spread at random",
    "ha.loadBalanceStrategy": "connections are spread at random",
    "sslfactory": JAVA_ALONE,
    "targetServerType": "every host is taken that answers",
    "defaultRowFetchSize": "all rows of an answer come at once",
    "binaryTransfer": "results are as the protocol has them",
}
"""Options that are often given, with what is so without them; any other is unknown here."""

REFUSED = {
    "trustCertificateKeyStoreUrl": "certificates are read from a PEM file: ssl_ca=/path",
    "clientCertificateKeyStoreUrl": "there are no client certificates",
    "sslcert": "there are no client certificates",
    "sslkey": "there are no client certificates",
}
"""What would go somewhere else, or prove less, if it were passed over."""

SSL_MODES = {
    "disabled": "disabled",
    "disable": "disabled",
    "allow": "preferred",
    "preferred": "preferred",
    "prefer": "preferred",
    "required": "required",
    "require": "required",
    "trust": "required",
    "verify_ca": "verify_ca",
    "verify_identity": "verify_identity",
    "verify_full": "verify_identity",
}
"""Words of Connector/J, MariaDB Connector/J and PgJDBC, in small letters and with underscores."""
