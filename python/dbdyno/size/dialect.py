"""What the databases write differently where the values of a table are measured.

A dialect is data; how it is used stands in ``logical``.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Dialect:
    """One kind of database.

    ``columns`` lists the columns of a table that hold values of their own, each with its type;
    generated ones hold none. ``length`` is the number of bytes of a column's value as text, and
    ``length_of_type`` that of types which are no text and are written as they are. ``keys`` lists
    the first columns of a table's indexes with their types, the primary key's first, and
    ``integers`` are types whose values can be counted through. ``rough_size`` asks for the bytes of
    a table, to know before whether it is large. ``{table}`` is a text with the table's name in all
    of them: quoted within the text, too, where ``reads_names`` says that the text is read as SQL.
    """

    quote: str
    columns: str
    length: str
    length_of_type: dict[str, str]
    keys: str
    integers: frozenset[str]
    rough_size: str
    tables: str
    reads_names: bool = False

    def quoted(self, name: str) -> str:
        """Return a name as it stands in a statement, whatever is in it."""
        return f"{self.quote}{name.replace(self.quote, 2 * self.quote)}{self.quote}"

    def text(self, name: str) -> str:
        """Return a name as the text that ``{table}`` stands for."""
        inner = self.quoted(name) if self.reads_names else name
        return "'" + inner.replace("'", "''") + "'"


MYSQL = Dialect(
    quote="`",
    columns="""
        SELECT column_name, data_type FROM information_schema.columns
        WHERE table_schema = DATABASE() AND table_name = {table} AND extra NOT LIKE '%GENERATED%'
        ORDER BY ordinal_position""",
    length="LENGTH({0})",
    length_of_type={},
    keys="""
        SELECT s.column_name, c.data_type FROM information_schema.statistics s
        JOIN information_schema.columns c
          ON c.table_schema = s.table_schema AND c.table_name = s.table_name
         AND c.column_name = s.column_name
        WHERE s.table_schema = DATABASE() AND s.table_name = {table} AND s.seq_in_index = 1
        ORDER BY s.index_name <> 'PRIMARY', s.index_name""",
    integers=frozenset({"tinyint", "smallint", "mediumint", "int", "bigint"}),
    rough_size="""
        SELECT data_length FROM information_schema.tables
        WHERE table_schema = DATABASE() AND table_name = {table}""",
    tables="""
        SELECT table_name FROM information_schema.tables
        WHERE table_schema = DATABASE() AND table_type IN ('BASE TABLE', 'SYSTEM VERSIONED')""",
)

POSTGRESQL = Dialect(
    quote='"',
    columns="""
        SELECT attname, atttypid::regtype FROM pg_attribute
        WHERE attrelid = {table}::regclass AND attnum > 0 AND NOT attisdropped
          AND attgenerated = '' ORDER BY attnum""",
    length="octet_length({0}::text)",
    length_of_type={"bytea": "octet_length({0})"},
    keys="""
        SELECT a.attname, a.atttypid::regtype
        FROM pg_index x JOIN pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = x.indkey[0]
        WHERE x.indrelid = {table}::regclass AND x.indisvalid
        ORDER BY NOT x.indisprimary, x.indexrelid""",
    integers=frozenset({"smallint", "integer", "bigint"}),
    rough_size="""
        SELECT COALESCE((SELECT SUM(pg_table_size(p.relid)) FROM pg_partition_tree({table}) p),
                        pg_table_size({table}::regclass))::bigint""",
    tables="""
        SELECT relname FROM pg_class
        WHERE relkind IN ('r', 'p') AND NOT relispartition
          AND pg_table_is_visible(oid) AND relnamespace <> 'pg_catalog'::regnamespace""",
    reads_names=True,
)

SQLITE = Dialect(
    quote='"',
    columns="SELECT name, type FROM pragma_table_xinfo({table}) WHERE hidden = 0",
    length="LENGTH(CAST({0} AS BLOB))",
    length_of_type={},
    keys="""
        SELECT i.name, LOWER(i.type) FROM pragma_table_info({table}) i WHERE i.pk = 1
        UNION ALL
        SELECT t.name, LOWER(t.type) FROM pragma_index_list({table}) x, pragma_index_info(x.name) c
        JOIN pragma_table_info({table}) t ON t.name = c.name WHERE c.seqno = 0
        UNION ALL SELECT 'rowid', 'integer'""",
    integers=frozenset({"integer", "int", "smallint", "bigint", "tinyint"}),
    # Which of the file's pages are whose is not known. Taken as alike, all tables are read in whole
    # or the same share of each, and that is of the file just what may be read.
    rough_size="""
        SELECT s.page_size * c.page_count
            / (SELECT COUNT(*) FROM sqlite_master WHERE type = 'table')
        FROM pragma_page_size() s, pragma_page_count() c""",
    tables="SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite^_%' "
    "ESCAPE '^'",
)

DIALECTS = {"mysql": MYSQL, "postgresql": POSTGRESQL, "sqlite": SQLITE}
