"""A table of wrong experiment files and the exact message that each one gets."""

# Each message stands on one line, as it is printed.
# ruff: noqa: E501

from pathlib import Path

import pytest

from dbdyno.errors import InputError
from dbdyno.experiment.file.error import ExperimentError
from dbdyno.experiment.file.read import read_experiment

HEAD = "experiment: e\nquestion: Which?\nworkload: {sysbench: {}}\n"
SQLITE = HEAD + "target: {sqlite: {}}\n"
TPCC = "experiment: e\nquestion: Which?\ntarget: {sqlite: {}}\nworkload: {tpcc: "
UP = HEAD + "target: {url: 'mysql://root@localhost/db'}\n"
MAPPING = "must be a mapping of fields, as in {name: value}, not"
ONE_KIND = "must be exactly one of sqlite, mysql, postgresql, cluster and url, as in {sqlite: {}}"
COMPARE_SERVERS = "to compare servers or versions, give each a name, targets: {old: {mysql: {basedir: ...}}, new: ...}, and vary the name, factors: {target: [old, new]}"

SECRET_OF_EXPORTER = "holds a password or another secret, and an experiment file is copied into every result; take it out, leave the user in the URL, and write password_env with the name of an environment variable that has the password"

FIELDS = [
    (
        SQLITE + "procedure: {warm_up: 5s}",
        "5: procedure.warm_up: unknown field; did you mean 'warmup'?",
    ),
    (
        SQLITE + "procedure: {limits: {drian: 1s}}",
        "5: procedure.limits.drian: unknown field; did you mean 'drain'?",
    ),
    (
        SQLITE + "generators: [{cores: 1}]",
        "5: generators[0].cores: unknown field; known: cpus, wait, share, count, to, host, command, python, call_back",
    ),
    (SQLITE + "rounds: 5", "5: rounds: belongs under procedure; write procedure: {rounds: ...}"),
    (
        SQLITE + "klients: 5",
        "5: klients: unknown field; did you mean 'clients'? clients: belongs under load; write load: {clients: ...}",
    ),
    (
        SQLITE + "load: {CLIENTS: 5}",
        "5: load.CLIENTS: unknown field; did you mean 'clients'?",
    ),
    (
        SQLITE + "watch: {hosts: [-oProxyCommand=x]}",
        "5: watch.hosts[0]: '-oProxyCommand=x' is no host; write its name as ssh knows it, as in "
        "db1 or me@db1",
    ),
    (
        SQLITE + "watch: {hosts: [local]}",
        "5: watch.hosts[0]: local is this machine, which is watched anyway; name other hosts",
    ),
    (
        SQLITE + "watch: {exporters: [db1]}",
        "5: watch.exporters[0]: is not the URL of an exporter; write its address, as in "
        "http://db1:9100/metrics",
    ),
    (
        SQLITE + "watch: {exporters: [{url: 'http://me:swordfish@db1:9104/metrics'}]}",
        f"5: watch.exporters[0].url: {SECRET_OF_EXPORTER}",
    ),
    (
        SQLITE + "watch: {exporters: ['http://db1:9104/metrics?token=swordfish']}",
        f"5: watch.exporters[0]: {SECRET_OF_EXPORTER}",
    ),
    (
        SQLITE + "watch: {exporters: [{url: 'http://db1/metrics', password_env: PW}]}",
        "5: watch.exporters[0]: password_env is the password of a user, and the URL names none; "
        "write it as in http://me@db1:9100/metrics",
    ),
    (
        SQLITE + "watch: {exporters: [{member: storage-1}]}",
        "5: watch.exporters[0].url: is missing; add it, as in url: http://db1:9100/metrics",
    ),
    (
        SQLITE + "watch: {exporters: ['http://db1:9100']}",
        "5: watch.exporters[0]: names no page; exporters mostly have theirs at /metrics",
    ),
    (
        SQLITE + "watch: {exporters: ['http://db1/metrics', {url: 'http://db1/metrics'}]}",
        "5: watch: exporters names one of them twice; write each once",
    ),
    (
        SQLITE + "watch: {exporters: [{url: 'http://db1/metrics', membr: storage-1}]}",
        "5: watch.exporters[0].membr: unknown field; did you mean 'member'?",
    ),
    (
        SQLITE + "watch: {exporters: [{url: 'http://db1/metrics', host: local}]}",
        "5: watch.exporters[0].host: local is this machine, which is watched anyway; name other "
        "hosts",
    ),
    (SQLITE + "clients: 5", "5: clients: belongs under load; write load: {clients: ...}"),
    (
        SQLITE + "5: 1",
        "5: 5: unknown field; known: experiment, question, workload, target, targets, factors, cells, search, load, session, procedure, generators, watch, hooks, report, smoke",
    ),
    (
        "question: Which?\nworkload: {sysbench: {}}\ntarget: {sqlite: {}}",
        "1: experiment: is missing; add it, as in experiment: my-first-experiment",
    ),
    (
        "experiment: e\nworkload: {sysbench: {}}\ntarget: {sqlite: {}}",
        "1: question: is missing; add it, as in question: Is a larger buffer pool faster?",
    ),
    (
        "experiment: e\nquestion: ''\nworkload: {sysbench: {}}",
        "2: question: is empty; say it in words",
    ),
    (
        "experiment: e\nquestion: {fr: Plus rapide ?}\nworkload: {sysbench: {}}",
        "2: question.fr: 'fr' is not a choice; known: en, zh",
    ),
    (
        "experiment: e\nquestion: {en: ''}\nworkload: {sysbench: {}}",
        "2: question.en: is empty; say it in words",
    ),
    (
        "experiment: e\nquestion: {}\nworkload: {sysbench: {}}",
        "2: question: is empty; give at least one entry",
    ),
    (
        "experiment: e\nquestion: ['a']\nworkload: {sysbench: {}}",
        "2: question: must be text, or a text for each language, not a list",
    ),
    (
        "experiment: e\nquestion: {zh: 'mysql://u:secret@h/d'}\nworkload: {sysbench: {}}",
        "2: question.zh: holds a password; take it out",
    ),
    (
        "experiment: a b\nquestion: Which?\nworkload: {sysbench: {}}",
        "1: experiment: 'a b' is not a name; use letters, digits, '.', '_' and '-'",
    ),
    (
        "experiment: 5\nquestion: Which?\nworkload: {sysbench: {}}",
        "1: experiment: must be text, not 5",
    ),
    (
        SQLITE + "procedure: {start: as_was}",
        "5: procedure.start: 'as_was' is not a choice; known: snapshot, continue, reload",
    ),
    (
        SQLITE + "procedure: {order: abab}",
        "5: procedure.order: 'abab' is not a choice; did you mean 'abba'?",
    ),
    (
        SQLITE + "procedure: {limits: {disk: 10 floppies}}",
        "5: procedure.limits.disk: '10 floppies' is not an amount of disk; write 8G or 200M",
    ),
    (
        SQLITE + "procedure: {limits: {campaign: 1m}}",
        "5: procedure.limits.campaign: is 60 s, and warm-up and window of one trial take 70 s; make it longer",
    ),
    (
        SQLITE + "procedure: {duration: 1h, limits: {trial: 1h}}",
        "5: procedure.limits.trial: is 3600 s, and warm-up and window of one trial take 3610 s; make it longer",
    ),
    (
        SQLITE + "limits: {campaign: 1h}",
        "5: limits: belongs under procedure; write procedure: {limits: ...}",
    ),
    (
        SQLITE + "procedure: {caches: hot}",
        "5: procedure.caches: 'hot' is not a choice; known: workload, warm, cold",
    ),
    (
        UP + "procedure: {caches: cold}",
        "5: procedure.caches: the target 'mysql' is a server that is already up, which dbdyno may not restart; use warm or workload",
    ),
    (
        SQLITE + "procedure: {pause: 3 weeks}",
        "5: procedure.pause: 'weeks' is not a unit of time; use us, ms, s, m or h, as in 3s",
    ),
    (SQLITE + "procedure:", f"5: procedure: {MAPPING} nothing"),
    (SQLITE + "procedure: [5s]", f"5: procedure: {MAPPING} a list"),
    (
        SQLITE + "report: {languages: [en, de]}",
        "5: report.languages[1]: 'de' is not a choice; known: en, zh",
    ),
    (
        SQLITE + "report: {languages: en}",
        "5: report.languages: must be a list, as in [a, b], not 'en'",
    ),
    (SQLITE + "generators: []", "5: generators: is empty; give at least one entry"),
    (
        SQLITE + "generators: [{cpus: 1}, {cpus: 2}]",
        "5: generators: are several; SQLite runs inside the generator, so keep one",
    ),
]

PROCEDURES = [
    ("{rounds: 0}", "rounds: must be 1 or more, not 0"),
    ("{rounds: five}", "rounds: must be a whole number, not 'five'"),
    ("{rounds: 2.5}", "rounds: must be a whole number, not 2.5"),
    ("{rounds: true}", "rounds: must be a whole number, not true"),
    (
        "{duration: 20 parsecs}",
        "duration: 'parsecs' is not a unit of time; use us, ms, s, m or h, as in 20s",
    ),
    (
        "{duration: soon}",
        "duration: 'soon' is not a duration; write a number and a unit, as in 90s, 5m or 1.5h (a number alone is seconds)",
    ),
    (
        "{duration: 99999999h}",
        "duration: '99999999h' is too long; 10,000,000 s (115 days) is the most",
    ),
    ("{warmup: 1e300}", "warmup: 1e+300 is too long; 10,000,000 s (115 days) is the most"),
    (
        "{warmup: [5s]}",
        "warmup: ['5s'] is not a duration; write a number and a unit, as in 90s, 5m or 1.5h (a number alone is seconds)",
    ),
    ("{warmup: {most: 60s}}", "warmup.until: is missing; add it, as in until: steady"),
    (
        "{warmup: {until: stedy}}",
        "warmup.until: 'stedy' is not a choice; did you mean 'steady'?",
    ),
    (
        "{warmup: {until: steady, max: 60s}}",
        "warmup.max: unknown field; known: until, most, least",
    ),
    ("{warmup: {until: steady, most: 0}}", "warmup.most: must be more than 0, not 0"),
    ("{warmup: {until: steady, least: -1}}", "warmup.least: must be 0 or more, not -1"),
    (
        "{warmup: {until: steady, most: 1 minute}}",
        "warmup.most: 'minute' is not a unit of time; use us, ms, s, m or h, as in 1s",
    ),
    (
        "{warmup: {until: steady, most: 30s, least: 1m}}",
        "warmup.least: is 60 s, more than most, which is 30 s; make it less",
    ),
    (
        "{warmup: {until: steady, most: 20s}}",
        "warmup.most: is 20 s, and it takes 20 intervals of 1 s to tell whether throughput is steady; make it longer than 20 s, or interval shorter",
    ),
    ("{rounds: 1001}", "rounds: must be 1000 or less, not 1001"),
    ("{duration: 0}", "duration: must be more than 0, not 0"),
    ("{warmup: -5}", "warmup: must be 0 or more, not -5"),
    ("{duration: 500ms}", "interval: is 1 s, longer than the duration of 0.5 s; make it shorter"),
    ("{order: random}", "order: 'random' is not a choice; known: interleaved, abba, sequential"),
    ("{start: snapshots}", "start: 'snapshots' is not a choice; did you mean 'snapshot'?"),
    (
        "{error_budget: 5 percent}",
        "error_budget: '5 percent' is not a share; write 0.01 or 1%, between 0 and 1 (100%)",
    ),
    (
        "{error_budget: 110%}",
        "error_budget: '110%' is not a share; write 0.01 or 1%, between 0 and 1 (100%)",
    ),
    (
        "{retry: {backoff_min: 1s}}",
        "retry.backoff_min: is 1 s, more than the backoff_max of 0.05 s; make it less",
    ),
    ("{seed: -1}", "seed: must be 0 or more, not -1"),
]

WORKLOADS_AND_LOADS = [
    ("experiment: e\nquestion: Which?\nworkload: oltp", f"3: workload: {MAPPING} 'oltp'"),
    (
        "experiment: e\nquestion: Which?\nworkload: {}",
        "3: workload: must be exactly one of sysbench, tpcc, sql and pgbench, as in {sysbench: {script: oltp_read_write}}",
    ),
    (
        TPCC + "{warehouses: 0}}",
        "4: workload.tpcc.warehouses: must be 1 or more, not 0",
    ),
    (
        TPCC + "{schema: benchmarksqll}}",
        "4: workload.tpcc.schema: 'benchmarksqll' is not a choice; did you mean 'benchmarksql'?",
    ),
    (
        TPCC + "{schema: tpcc-mysql, warehouses: 40000}}",
        "4: workload.tpcc.warehouses: is 40000: give an integer from 1 to 32767",
    ),
    (
        TPCC + "{warehouses: 5, home_range: [4, 6]}}",
        "4: workload.tpcc.home_range: is [4, 6]: give the first and the last of the warehouses 1 to 5",
    ),
    (
        TPCC + "{indexes: [idx]}}",
        '4: workload.tpcc.indexes: is "idx": give one of customer_by_name, orders_by_customer, or a table with columns: orders (o_w_id, o_entry_d)',
    ),
    (
        TPCC + "{indexes: ['orders (o_entry)']}}",
        '4: workload.tpcc.indexes: is "orders (o_entry)": the table orders has no column o_entry',
    ),
    (
        TPCC + "{partitions: 4}}",
        "4: workload.tpcc.partitions: is 4: SQLite has no partitions; leave it out",
    ),
    (
        TPCC + "{terminals: 5}}",
        "4: workload.tpcc.terminals: belongs under load; write load: {clients: ...}",
    ),
    (
        TPCC + "{mix: {payment: 0, new_order: 0, order_status: 0, delivery: 0, stock_level: 0}}}",
        "4: workload.tpcc.mix: all weights are 0; give one of them more",
    ),
    (
        TPCC + "{pacing: {think: 1.0e+20}}}",
        "4: workload.tpcc.pacing.think: must be 1000 or less, not 1e+20",
    ),
    (
        TPCC + "{pacing: {think: 0.1}}}\nload: {rate: 100}",
        "5: load.rate: keying and think times give terminals a pace of their own, and a rate another; remove the rate, or pacing and deferred delivery",
    ),
    (
        TPCC + "{delivery: deferred}}\nfactors: {rate: {sets: load.rate, levels: [1, 2]}}",
        "5: factors.rate: a deferred delivery is carried out by the terminal that queued it, in its time; remove the rate, or pacing and deferred delivery",
    ),
    (
        "experiment: e\nquestion: Which?\nworkload:\n  sysbench:\n    script: oltp_read_writes",
        "5: workload.sysbench.script: 'oltp_read_writes' is not a choice; did you mean 'oltp_read_write'?",
    ),
    (
        "experiment: e\nquestion: Which?\nworkload: {sysbench: {skip_trx: 1}}",
        "3: workload.sysbench.skip_trx: must be true or false, not 1",
    ),
    (
        "experiment: e\nquestion: Which?\nworkload: {sysbench: {table_size: 3000000000}}",
        "3: workload.sysbench.table_size: must be 2147483647 or less, not 3000000000",
    ),
    (SQLITE + "load: {rate: 0}", "5: load.rate: must be more than 0, not 0"),
    (SQLITE + "load: {rate: .inf}", "5: load.rate: must be a finite number, not inf"),
    (
        SQLITE + "load: {arrivals: poisson}",
        "5: load.arrivals: an open loop needs a rate; add load.rate, as in rate: 500",
    ),
    (
        SQLITE + "load: {arrivals: closed, rate: 5}",
        "5: load.arrivals: closed has no rate; remove the rate, or write poisson",
    ),
]

TARGETS = [
    (HEAD, "1: target: is missing; add it, as in target: {sqlite: {}}"),
    (
        SQLITE + "targets: {a: {sqlite: {}}}",
        "5: targets: target is there as well; keep one of the two",
    ),
    (HEAD + "target: {}", f"4: target: {ONE_KIND}"),
    (HEAD + "target: {sqlite: {}, mysql: {}}", f"4: target: {ONE_KIND}"),
    (HEAD + "target: sqlite", f"4: target: {MAPPING} 'sqlite'"),
    (HEAD + "target: {sqlit: {}}", "4: target.sqlit: unknown field; did you mean 'sqlite'?"),
    (
        HEAD + "target: {sqlite: {cpus: 1}}",
        "4: target.sqlite.cpus: SQLite runs inside the generator and has no CPUs of its own; set generators.cpus",
    ),
    (HEAD + "target: {sqlite: {}, postgresql: {}}", f"4: target: {ONE_KIND}"),
    (
        HEAD + "target: {postgres: {}}",
        "4: target.postgres: unknown field; write postgresql: {...}, which is for PostgreSQL",
    ),
    (
        HEAD + "target: {postgresql: {cpu: 1}}",
        "4: target.postgresql.cpu: unknown field; did you mean 'cpus'?",
    ),
    (
        HEAD + "target: {postgresql: {option_file: /nowhere/poc.conf}}",
        "4: target.postgresql.option_file: there is no file /nowhere/poc.conf; the path is relative to the experiment file",
    ),
    (
        HEAD + "target: {cluster: {}}",
        "4: target.cluster.members: is missing; add it, as in members: {storage: {mysql: {}, count: 2}}",
    ),
    (
        HEAD + "target: {mysql: {cpus: 4-1}}",
        "4: target.mysql.cpus: '4-1' is not a set of CPUs; write 3, 0-7 or 0-3,8-11",
    ),
    (
        HEAD + "target: {mysql: {option_file: /nowhere/poc.cnf}}",
        "4: target.mysql.option_file: there is no file /nowhere/poc.cnf; the path is relative to the experiment file",
    ),
    (
        HEAD + "target: {mysql: {set: {max_connections: [1]}}}",
        "4: target.mysql.set.max_connections: must be text or a number, not a list",
    ),
    (
        HEAD + "target: {mysql: {set: {max connections: 1}}}",
        "4: target.mysql.set.max connections: 'max connections' is not the name of a setting; use letters, digits, _ and .",
    ),
    (
        HEAD + 'target: {mysql: {set: {sql_mode: "a\\nb"}}}',
        "4: target.mysql.set.sql_mode: a setting must be one line of printable text",
    ),
    (
        HEAD + "targets: {a: {sqlite: {}}, b: {sqlite: {}}}",
        "1: factors.target: is missing; choose among the targets, the baseline first: target: [a, b]",
    ),
    (
        HEAD + "target: {mysql: {}, nodes: ['mysql://root@n1/db']}",
        "4: target.nodes: belongs to a target by url: a private server has no nodes; remove it",
    ),
    (
        HEAD + "target: {mysql: {}, check_url: 'mysql://root@n1/db'}",
        "4: target.check_url: belongs to a target by url: a private server is checked where clients connect, and a cluster has a check_url of its own; remove it",
    ),
    (
        HEAD + "target: {url: 'mysql://root@h/db', check_url: 'postgresql://root@n1/db'}",
        "4: target.check_url: is no mysql server; name one that has the same tables",
    ),
    (
        HEAD + "target: {mysql: {}, password_env: SECRET}",
        "4: target.password_env: belongs to a target by url: dbdyno makes the password of its own servers; remove it",
    ),
    (
        HEAD + "target: {url: 'mysql://root@h/db', nodes: ['mysql://root@n1,n2/db']}",
        "4: target.nodes[0]: names several hosts; write a URL for each node",
    ),
    (
        HEAD + "target: {mysql: {library_path: [/nowhere]}}",
        "4: target.mysql.library_path[0]: there is no folder /nowhere; the path is relative to the experiment file",
    ),
    (
        HEAD.replace("Which?", '"Wh\\e[31mich?"') + "target: {sqlite: {}}",
        "2: question: holds the control character U+001B; take it out",
    ),
    (HEAD + "targets: {}", "4: targets: is empty; give at least one entry"),
    (
        UP + "procedure: {start: snapshot}",
        "5: procedure.start: the target 'mysql' is a server that is already up, whose files dbdyno may not touch; use reload or continue",
    ),
]

URLS = [
    ("http://localhost", "unknown scheme 'http'; known: mysql, postgresql, sqlite"),
    ("mysq://localhost/db", "unknown scheme 'mysq'; did you mean 'mysql'?"),
    ("postgre://localhost/db", "unknown scheme 'postgre'; did you mean 'postgresql'?"),
    ("postgresql://localhost:0/db", "the port of localhost is not a number from 1 to 65535"),
    ("postgres://localhost", "names no database; write postgresql://user@host:5432/database"),
    (
        "postgres://root:hush@localhost/db",
        "holds a password, and an experiment file is copied into every result; take it out and set the environment variable DBDYNO_PASSWORD, or one that password_env names",
    ),
    ("mysql://root@localhost:99999/db", "the port of localhost is not a number from 1 to 65535"),
    ("mysql://root@localhost:three/db", "the port of localhost is not a number from 1 to 65535"),
    ("mysql://root@localhost:3306", "names no database; write mysql://user@host:3306/database"),
    (
        "mysql://root:hush@localhost/db",
        "holds a password, and an experiment file is copied into every result; take it out and set the environment variable DBDYNO_PASSWORD, or one that password_env names",
    ),
    (
        "mysql://[::1/db",
        "is not a URL; write mysql://user@host:3306/database, postgresql://user@host:5432/database or sqlite:///path/to/file.db",
    ),
    ("sqlite://file.db", "names no file; write sqlite:///path/to/file.db, with three slashes"),
]

FACTORS = [
    ("{clients: 8}", "clients: must be a list, as in [a, b], not 8"),
    ("{clients: []}", "clients: is empty; give at least one entry"),
    ("{clients: [1, many]}", "clients[1]: must be a whole number, not 'many'"),
    ("{clients: [1, 0]}", "clients[1]: must be 1 or more, not 0"),
    ("{clients: [1, [2]]}", "clients[1]: a level must be text or a number, not a list"),
    ("{clients: [1, 8, 1]}", "clients[2]: the level 1 is there already; each level must differ"),
    (
        "{clients: [1], threads: [2]}",
        "threads: sets load.clients, which the factor 'clients' sets already; remove one",
    ),
    (
        "{pool: [1G]}",
        "pool: a list alone needs a known name (known: clients, threads, terminals, rate, isolation, target, generators); otherwise write pool: {sets: server.pool, levels: [...]}",
    ),
    (
        "{protocol: [text]}",
        "protocol: a list alone needs a known name (known: clients, threads, terminals, rate, isolation, target, generators); otherwise write protocol: {sets: load.protocol, levels: [...]}",
    ),
    (
        "{klients: [1, 2]}",
        "klients: a list alone needs a known name (did you mean 'clients'?); otherwise write klients: {sets: server.klients, levels: [...]}",
    ),
    (
        "{server.io_threads: [4, 8]}",
        "server.io_threads: a list alone needs a known name (known: clients, threads, terminals, rate, isolation, target, generators); otherwise write io_threads: {sets: server.io_threads, levels: [...]}",
    ),
    ("{version: [10.2, 11.4]}", f"version: cannot be varied; {COMPARE_SERVERS}"),
    *(
        (
            f"{{v: {{sets: {path}, levels: [/opt/a, /opt/b]}}}}",
            f"v.sets: '{path}' cannot be varied; {COMPARE_SERVERS}",
        )
        for path in ("basedir", "server.version", "target.mysql.basedir", "targets")
    ),
    (
        "{pool: {sets: klients, levels: [1]}}",
        "pool.sets: 'klients' cannot be varied; did you mean 'load.clients'? Otherwise write server.<setting>, limits.<field>, load.<field>, session.<field>, workload.<field> or target",
    ),
    (
        "{pool: {sets: lod.clients, levels: [1]}}",
        "pool.sets: 'lod.clients' cannot be varied; did you mean 'load.clients'?",
    ),
    (
        "{pool: {sets: synchronous, levels: [full]}}",
        "pool.sets: 'synchronous' cannot be varied; write server.<setting>, limits.<field>, load.<field>, session.<field>, workload.<field> or target",
    ),
    (
        "{pool: {sets: load.x, levels: [1]}}",
        "pool.sets: 'load.x' cannot be varied; known: load.clients, load.workers, load.rate, load.arrivals, load.protocol, load.pipelining, load.kernel_timestamps",
    ),
    (
        "{pool: {sets: sever.cache_size, levels: [1]}}",
        "pool.sets: 'sever.cache_size' cannot be varied; did you mean 'server.cache_size'?",
    ),
    (
        "{pool: {sets: cache_size, levels: [1]}}",
        "pool.sets: 'cache_size' cannot be varied; did you mean 'workload.table_size'? Otherwise write server.<setting>, limits.<field>, load.<field>, session.<field>, workload.<field> or target",
    ),
    (
        "{pool: {sets: load.client, levels: [1]}}",
        "pool.sets: 'load.client' cannot be varied; did you mean 'load.clients'?",
    ),
    (
        "{pool: {sets: server.a b, levels: [1]}}",
        "pool.sets: 'a b' is not the name of a setting; use letters, digits, _ and .",
    ),
    (
        "{pool: {levels: [1, 2]}}",
        "pool.sets: is missing; add it, as in sets: server.innodb_buffer_pool_size",
    ),
    (
        "{pool: {sets: server.cache_size}}",
        "pool.levels: is missing; add it, as in levels: [16M, 512M]",
    ),
    (
        "{load: {sets: load.clients, levels: [1, null]}}",
        "load.levels[1]: a level must be text or a number, not nothing",
    ),
    (
        "{rows: {sets: workload.table_size, levels: [1, big]}}",
        "rows.levels[1]: must be a whole number, not 'big'",
    ),
    ("{target: [sqlite, mysql]}", "target[1]: there is no target 'mysql'; known: sqlite"),
]

CONTRADICTIONS = [
    (
        SQLITE + "load: {clients: 4}\nfactors: {clients: [1, 2]}",
        "6: factors.clients: varies load.clients, which is fixed in load; remove one of the two",
    ),
    (
        HEAD
        + "target: {sqlite: {set: {journal_mode: wal}}}\nfactors:\n  journal: {sets: server.journal-mode, levels: [delete, wal]}",
        "6: factors.journal: varies server.journal_mode, which is fixed in set of the target 'sqlite'; remove one of the two",
    ),
    (
        UP + "factors:\n  pool:\n    sets: server.max_connections\n    levels: [10, 20]",
        "7: factors.pool.sets: the target 'mysql' is a server that is already up, and dbdyno may not restart it; use a sqlite, mysql or postgresql target, or vary load or workload; or give the target commands: {apply: ..., restart: ...}, or write apply: online",
    ),
]

SYNTAX = [
    (SQLITE + "experiment: again", "5: 'experiment' is there twice; remove one"),
    (SQLITE + "\tload: {}", "5: a tab is not allowed as indentation in YAML; use spaces"),
    (
        SQLITE + "load: {clients: 4\nreport: {}",
        "6: not YAML: expected ',' or '}', but got ':'; check brackets, quotes and indentation here and in the line above",
    ),
    ("", "1: must be a mapping of fields that begins with experiment: and question:"),
    ("- 1", "1: must be a mapping of fields that begins with experiment: and question:"),
]

MISTAKES = [
    *FIELDS,
    *((SQLITE + f"procedure: {text}", f"5: procedure.{message}") for text, message in PROCEDURES),
    *WORKLOADS_AND_LOADS,
    *TARGETS,
    *((HEAD + f"target: {{url: '{url}'}}", f"4: target.url: {message}") for url, message in URLS),
    *((SQLITE + f"factors: {text}", f"5: factors.{message}") for text, message in FACTORS),
    *CONTRADICTIONS,
    *SYNTAX,
]


@pytest.mark.parametrize(("text", "expected"), MISTAKES)
def test_mistake_gets_its_message(text: str, expected: str, tmp_path: Path) -> None:
    path = tmp_path / "experiment.yaml"
    path.write_text(text)
    with pytest.raises(ExperimentError) as caught:
        read_experiment(path)
    assert str(caught.value) == f"{path}:{expected}"
    assert isinstance(caught.value, InputError)


def test_place_and_message_are_apart(tmp_path: Path) -> None:
    path = tmp_path / "experiment.yaml"
    path.write_text(SQLITE + "procedure:\n  rounds: 0\n")
    with pytest.raises(ExperimentError) as caught:
        read_experiment(path)
    error = caught.value
    assert (error.file, error.line, error.field) == (path, 6, "procedure.rounds")
    assert error.message == "must be 1 or more, not 0"


def test_first_mistake_of_several_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "experiment.yaml"
    path.write_text(SQLITE + "report: {languages: [xx]}\nprocedure: {rounds: 0}\n")
    with pytest.raises(ExperimentError, match=r":5: report\.languages\[0\]"):
        read_experiment(path)


def test_missing_file(tmp_path: Path) -> None:
    path = tmp_path / "none.yaml"
    with pytest.raises(ExperimentError) as caught:
        read_experiment(path)
    assert str(caught.value) == (
        f"{path}: cannot be read (No such file or directory); name an experiment file"
    )


def test_file_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "experiment.yaml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(ExperimentError) as caught:
        read_experiment(path)
    assert str(caught.value) == f"{path}: is not text in UTF-8 (byte 0); save it as UTF-8"
