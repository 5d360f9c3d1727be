"""What the databases are asked for the definitions of tables.

A dialect is data: each kind of server answers the same five questions with rows of the same shape,
so that ``read`` puts them together for all of them.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Dialect:
    """One kind of database.

    The rows, all of them in the order in which they are to be shown:

    - ``tables``: table, storage
    - ``columns``: table, the column with its type
    - ``keys``: table, index, its kind, one of its columns
    - ``foreign_keys``: table, constraint, one of its columns, table and column it refers to, what a
      DELETE there does, or an empty text where it is refused
    - ``checks``: whether the session checks foreign keys, whether it checks unique keys; 1 or 0,
      NULL where there is no such switch

    In all but the last, ``{all_tables}`` is a condition that is true where all tables are meant,
    and ``{names}`` a list of names.
    """

    tables: str
    columns: str
    keys: str
    foreign_keys: str
    checks: str


_MYSQL_ONLY = "table_schema = DATABASE() AND ({all_tables} OR table_name IN ({names}))"
_MYSQL_ONLY_K = "k.table_schema = DATABASE() AND ({all_tables} OR k.table_name IN ({names}))"

# Widths of integers are left out: only some versions show them, and they mean nothing.
MYSQL = Dialect(
    tables=f"""
        SELECT table_name, CONCAT_WS(' ', engine, LOWER(row_format), NULLIF(create_options, ''))
        FROM information_schema.tables
        WHERE {_MYSQL_ONLY} AND table_type IN ('BASE TABLE', 'SYSTEM VERSIONED')
        ORDER BY table_name""",
    columns=f"""
        SELECT table_name, CONCAT(column_name, ' ',
            IF(data_type LIKE '%int', data_type, SUBSTRING_INDEX(column_type, ' unsigned', 1)),
            IF(column_type LIKE '%unsigned%', ' unsigned', ''),
            IF(is_nullable = 'NO', ' not null', ''))
        FROM information_schema.columns WHERE {_MYSQL_ONLY}
        ORDER BY table_name, ordinal_position""",
    keys=f"""
        SELECT table_name, index_name,
            CASE WHEN index_name = 'PRIMARY' THEN 'primary key'
                 ELSE CONCAT(IF(non_unique, '', 'unique '),
                             IF(index_type = 'BTREE', '', CONCAT(LOWER(index_type), ' ')),
                             'index') END,
            CONCAT(COALESCE(column_name, 'an expression'),
                   IF(sub_part IS NULL, '', CONCAT('(', sub_part, ')')),
                   IF(collation = 'D', ' desc', ''))
        FROM information_schema.statistics WHERE {_MYSQL_ONLY}
        ORDER BY table_name, index_name <> 'PRIMARY', index_name, seq_in_index""",
    foreign_keys=f"""
        SELECT k.table_name, k.constraint_name, k.column_name,
            k.referenced_table_name, k.referenced_column_name,
            CASE WHEN r.delete_rule IN ('RESTRICT', 'NO ACTION') THEN ''
                 ELSE LOWER(r.delete_rule) END
        FROM information_schema.key_column_usage k
        JOIN information_schema.referential_constraints r
          ON r.constraint_schema = k.constraint_schema AND r.table_name = k.table_name
         AND r.constraint_name = k.constraint_name
        WHERE {_MYSQL_ONLY_K} AND k.referenced_table_name IS NOT NULL
        ORDER BY k.table_name, k.constraint_name, k.ordinal_position""",
    checks="SELECT @@foreign_key_checks, @@unique_checks",
)

_POSTGRESQL_ONLY = """t.relkind IN ('r', 'p') AND NOT t.relispartition
          AND pg_table_is_visible(t.oid) AND t.relnamespace <> 'pg_catalog'::regnamespace
          AND ({all_tables} OR t.relname IN ({names}))"""

# A foreign key is checked by triggers, which a session or an administrator may have turned off.
POSTGRESQL = Dialect(
    tables=f"""
        SELECT t.relname, concat_ws(' ',
            CASE t.relpersistence WHEN 'u' THEN 'unlogged' WHEN 't' THEN 'temporary' END,
            CASE t.relkind WHEN 'p' THEN 'partitioned' ELSE a.amname END,
            array_to_string(t.reloptions, ' '))
        FROM pg_class t LEFT JOIN pg_am a ON a.oid = t.relam
        WHERE {_POSTGRESQL_ONLY} ORDER BY t.relname""",
    columns=f"""
        SELECT t.relname, a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
            || CASE WHEN a.attnotnull THEN ' not null' ELSE '' END
        FROM pg_class t JOIN pg_attribute a ON a.attrelid = t.oid
        WHERE {_POSTGRESQL_ONLY} AND a.attnum > 0 AND NOT a.attisdropped
        ORDER BY t.relname, a.attnum""",
    keys=f"""
        SELECT t.relname, i.relname,
            CASE WHEN x.indisprimary THEN 'primary key'
                 ELSE CASE WHEN x.indisunique THEN 'unique ' ELSE '' END
                   || CASE WHEN m.amname = 'btree' THEN '' ELSE m.amname || ' ' END || 'index' END
            || COALESCE(' where ' || pg_get_expr(x.indpred, x.indrelid), ''),
            pg_get_indexdef(x.indexrelid, place, true)
            || CASE WHEN x.indoption[place - 1] & 1 = 1 THEN ' desc' ELSE '' END
        FROM pg_class t JOIN pg_index x ON x.indrelid = t.oid
        JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_am m ON m.oid = i.relam
        CROSS JOIN LATERAL generate_series(1, x.indnkeyatts::int) place
        WHERE {_POSTGRESQL_ONLY} AND x.indisvalid
        ORDER BY t.relname, NOT x.indisprimary, i.relname, place""",
    foreign_keys=f"""
        SELECT t.relname, c.conname, a.attname, r.relname, b.attname,
            CASE c.confdeltype WHEN 'c' THEN 'cascade' WHEN 'n' THEN 'set null'
                 WHEN 'd' THEN 'set default' ELSE '' END
        FROM pg_class t JOIN pg_constraint c ON c.conrelid = t.oid
        JOIN pg_class r ON r.oid = c.confrelid
        CROSS JOIN LATERAL generate_series(1, array_length(c.conkey, 1)) place
        JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[place]
        JOIN pg_attribute b ON b.attrelid = c.confrelid AND b.attnum = c.confkey[place]
        WHERE {_POSTGRESQL_ONLY} AND c.contype = 'f'
        ORDER BY t.relname, c.conname, place""",
    checks="""
        SELECT CASE WHEN current_setting('session_replication_role') = 'replica' OR EXISTS (
            SELECT FROM pg_trigger g JOIN pg_class t ON t.oid = g.tgrelid
            WHERE g.tgconstraint <> 0 AND g.tgenabled = 'D' AND pg_table_is_visible(t.oid))
            THEN 0 ELSE 1 END, NULL""",
)

_SQLITE_ONLY = """m.type = 'table' AND m.name NOT LIKE 'sqlite^_%' ESCAPE '^'
          AND ({all_tables} OR m.name IN ({names}))"""

# A primary key of one whole number is the table itself and has no index.
SQLITE = Dialect(
    tables=f"""
        SELECT m.name, CASE WHEN l.wr THEN 'without rowid' ELSE 'rowid' END
            || CASE WHEN l.strict THEN ' strict' ELSE '' END
        FROM sqlite_master m JOIN pragma_table_list(m.name) l ON l.schema = 'main'
        WHERE {_SQLITE_ONLY} ORDER BY m.name""",
    columns=f"""
        SELECT m.name, c.name || ' ' || lower(c.type) || iif(c."notnull", ' not null', '')
        FROM sqlite_master m, pragma_table_info(m.name) c
        WHERE {_SQLITE_ONLY} ORDER BY m.name, c.cid""",
    keys=f"""
        SELECT m.name AS place, '' AS index_name, 'primary key', c.name, c.pk AS number
        FROM sqlite_master m, pragma_table_info(m.name) c
        WHERE {_SQLITE_ONLY} AND c.pk > 0
        UNION ALL
        SELECT m.name, l.name, iif(l."unique", 'unique index', 'index')
                || iif(l.partial, ' of some rows', ''),
            COALESCE(x.name, 'an expression') || iif(x."desc", ' desc', ''), x.seqno
        FROM sqlite_master m, pragma_index_list(m.name) l, pragma_index_xinfo(l.name) x
        WHERE {_SQLITE_ONLY} AND x.key AND l.origin <> 'pk'
        ORDER BY 1, 2, 5""",
    foreign_keys=f"""
        SELECT m.name, f.id, f."from", f."table", COALESCE(f."to", ''),
            iif(f.on_delete IN ('NO ACTION', 'RESTRICT'), '', lower(f.on_delete))
        FROM sqlite_master m, pragma_foreign_key_list(m.name) f
        WHERE {_SQLITE_ONLY} ORDER BY m.name, f.id, f.seq""",
    checks="SELECT foreign_keys, NULL FROM pragma_foreign_keys",
)

DIALECTS = {"mysql": MYSQL, "postgresql": POSTGRESQL, "sqlite": SQLITE}
