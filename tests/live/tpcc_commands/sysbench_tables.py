"""Tables of sysbench-tpcc, as its DDL and its loader leave them, made by a few statements.

Names, types, keys and the rules that the rows follow are the tool's; the texts are shorter.
"""

from __future__ import annotations

import re

from tests.live.tpcc_commands.conftest import Place

SYLLABLES = ("BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING")
NAMES = [f"{a}{b}{c}" for a in SYLLABLES for b in SYLLABLES for c in SYLLABLES]

ADDRESS = """{0}_street_1 VARCHAR(20), {0}_street_2 VARCHAR(20), {0}_city VARCHAR(20),
    {0}_state CHAR(2), {0}_zip CHAR(9)"""
DISTRICTS = ", ".join(f"s_dist_{number:02} CHAR(24)" for number in range(1, 11))

TABLES = {
    "warehouse": f"""w_id SMALLINT NOT NULL, w_name VARCHAR(10), {ADDRESS.format("w")},
        w_tax DECIMAL(4,2), w_ytd DECIMAL(12,2), PRIMARY KEY (w_id)""",
    "district": f"""d_id TINY NOT NULL, d_w_id SMALLINT NOT NULL, d_name VARCHAR(10),
        {ADDRESS.format("d")}, d_tax DECIMAL(4,2), d_ytd DECIMAL(12,2), d_next_o_id INT,
        PRIMARY KEY (d_w_id, d_id)""",
    "customer": f"""c_id INT NOT NULL, c_d_id TINY NOT NULL, c_w_id SMALLINT NOT NULL,
        c_first VARCHAR(16), c_middle CHAR(2), c_last VARCHAR(16), {ADDRESS.format("c")},
        c_phone CHAR(16), c_since INSTANT, c_credit CHAR(2), c_credit_lim BIGINT,
        c_discount DECIMAL(4,2), c_balance DECIMAL(12,2), c_ytd_payment DECIMAL(12,2),
        c_payment_cnt SMALLINT, c_delivery_cnt SMALLINT, c_data TEXT,
        PRIMARY KEY (c_w_id, c_d_id, c_id)""",
    "history": """h_c_id INT, h_c_d_id TINY, h_c_w_id SMALLINT, h_d_id TINY, h_w_id SMALLINT,
        h_date INSTANT, h_amount DECIMAL(6,2), h_data VARCHAR(24)""",
    "orders": """o_id INT NOT NULL, o_d_id TINY NOT NULL, o_w_id SMALLINT NOT NULL, o_c_id INT,
        o_entry_d INSTANT, o_carrier_id TINY, o_ol_cnt TINY, o_all_local TINY,
        PRIMARY KEY (o_w_id, o_d_id, o_id)""",
    "new_orders": """no_o_id INT NOT NULL, no_d_id TINY NOT NULL, no_w_id SMALLINT NOT NULL,
        PRIMARY KEY (no_w_id, no_d_id, no_o_id)""",
    "order_line": """ol_o_id INT NOT NULL, ol_d_id TINY NOT NULL, ol_w_id SMALLINT NOT NULL,
        ol_number TINY NOT NULL, ol_i_id INT, ol_supply_w_id SMALLINT, ol_delivery_d INSTANT,
        ol_quantity TINY, ol_amount DECIMAL(6,2), ol_dist_info CHAR(24),
        PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number)""",
    "stock": f"""s_i_id INT NOT NULL, s_w_id SMALLINT NOT NULL, s_quantity SMALLINT, {DISTRICTS},
        s_ytd DECIMAL(8,0), s_order_cnt SMALLINT, s_remote_cnt SMALLINT, s_data VARCHAR(50),
        PRIMARY KEY (s_w_id, s_i_id)""",
    "item": """i_id INT NOT NULL, i_im_id INT, i_name VARCHAR(24), i_price DECIMAL(5,2),
        i_data VARCHAR(50), PRIMARY KEY (i_id)""",
}

ROWS = f"""
INSERT INTO item1 SELECT n, n % 10000 + 1, 'item', n % 9900 / 100.0 + 1, 'data' FROM UPTO(100000) x;
INSERT INTO warehouse1 VALUES (1, 'name', 's', 's', 'city', 'AB', '123451111', 0.11, 300000);
INSERT INTO district1
    SELECT n, 1, 'name', 's', 's', 'city', 'AB', '123451111', 0.07, 30000, 3001 FROM UPTO(10) x;
INSERT INTO customer1
    SELECT c.n, d.n, 1, 'first', 'OE', last.name, 's', 's', 'city', 'AB', '123451111', '1234',
           NOW(), CASE WHEN c.n % 10 = 0 THEN 'BC' ELSE 'GC' END, 50000, c.n % 50 / 100.0,
           -10, 10, 1, 0, 'data'
    FROM UPTO(10) d CROSS JOIN UPTO(3000) c
    JOIN last ON last.number = CASE WHEN c.n <= 1000 THEN c.n - 1 ELSE c.n * 7 % 1000 END;
INSERT INTO history1 SELECT c_id, c_d_id, 1, c_d_id, 1, NOW(), 10, 'data' FROM customer1;
INSERT INTO orders1
    SELECT o.n, d.n, 1, o.n * 7 % 3000 + 1, NOW(),
           CASE WHEN o.n < 2101 THEN o.n % 10 + 1 END, o.n % 11 + 5, 1
    FROM UPTO(10) d CROSS JOIN UPTO(3000) o;
INSERT INTO stock1
    SELECT n, 1, n % 91 + 10, {", ".join(["'dist'"] * 10)}, 0, 0, 0, 'data' FROM UPTO(100000) x;
INSERT INTO new_orders1 SELECT o_id, o_d_id, o_w_id FROM orders1 WHERE o_id > 2100;
INSERT INTO order_line1
    SELECT o_id, o_d_id, 1, l.n, (o_id * 31 + l.n * 7) % 100000 + 1, 1,
           CASE WHEN o_id < 2101 THEN o_entry_d END, 5,
           CASE WHEN o_id < 2101 THEN 0 ELSE o_id % 900 + 0.37 END, 'dist'
    FROM orders1 JOIN UPTO(15) l ON l.n <= o_ol_cnt;
CREATE INDEX idx_customer1 ON customer1 (c_w_id, c_d_id, c_last, c_first);
CREATE INDEX idx_orders1 ON orders1 (o_w_id, o_d_id, o_c_id, o_id);
CREATE INDEX fkey_stock_21 ON stock1 (s_i_id);
CREATE INDEX fkey_order_line_21 ON order_line1 (ol_supply_w_id, ol_i_id);
CREATE INDEX fkey_history_11 ON history1 (h_c_w_id, h_c_d_id, h_c_id);
CREATE INDEX fkey_history_21 ON history1 (h_w_id, h_d_id)
"""

FOREIGN_KEYS = (
    ("new_orders", "no_w_id, no_d_id, no_o_id", "orders", "o_w_id, o_d_id, o_id"),
    ("orders", "o_w_id, o_d_id, o_c_id", "customer", "c_w_id, c_d_id, c_id"),
    ("customer", "c_w_id, c_d_id", "district", "d_w_id, d_id"),
    ("history", "h_c_w_id, h_c_d_id, h_c_id", "customer", "c_w_id, c_d_id, c_id"),
    ("history", "h_w_id, h_d_id", "district", "d_w_id, d_id"),
    ("district", "d_w_id", "warehouse", "w_id"),
    ("order_line", "ol_w_id, ol_d_id, ol_o_id", "orders", "o_w_id, o_d_id, o_id"),
    ("order_line", "ol_supply_w_id, ol_i_id", "stock", "s_w_id, s_i_id"),
    ("stock", "s_w_id", "warehouse", "w_id"),
    ("stock", "s_i_id", "item", "i_id"),
)


def is_mysql(place: Place) -> bool:
    """Tell whether the server is MariaDB."""
    return place.url.startswith("mysql:")


def make_tables(place: Place, number: int) -> None:
    """Make a set of empty tables."""
    types = {"TINY": "SMALLINT", "INSTANT": "TIMESTAMP"}
    if is_mysql(place):
        types = {"TINY": "TINYINT", "INSTANT": "DATETIME"}
    for table, columns in TABLES.items():
        typed = re.sub(r" (TINY|INSTANT)\b", lambda word: f" {types[word[1]]}", columns)
        place.query(f"CREATE TABLE {table}{number} ({typed})")


def load_first_set(place: Place) -> None:
    """Make the first set with one warehouse, its indexes and foreign keys."""
    make_tables(place, 1)
    place.query("CREATE TABLE last (number INT PRIMARY KEY, name VARCHAR(16))")
    names = ", ".join(f"({number}, '{name}')" for number, name in enumerate(NAMES))
    place.query(f"INSERT INTO last VALUES {names}")
    for statement in ROWS.split(";"):
        place.query(_with_numbers(place, statement))
    for child, columns, parent, key in FOREIGN_KEYS:
        place.query(
            f"ALTER TABLE {child}1 ADD FOREIGN KEY ({columns}) REFERENCES {parent}1 ({key})"
        )
    place.query("DROP TABLE last")
    if not is_mysql(place):
        # What autovacuum does a minute later: without it a check takes many minutes.
        place.query("ANALYZE")


def drop_set(place: Place, number: int) -> None:
    """Remove a set, what refers to others first."""
    for table in ("new_orders", "order_line", "history", "orders", "customer", "district"):
        place.query(f"DROP TABLE {table}{number}")
    for table in ("stock", "item", "warehouse"):
        place.query(f"DROP TABLE {table}{number}")


def _with_numbers(place: Place, statement: str) -> str:
    """Replace ``UPTO(9)`` by what has the numbers from 1 to 9 in a column ``n``."""
    source = r"(SELECT n FROM generate_series(1, \1) AS series (n))"
    if is_mysql(place):
        source = r"(SELECT seq AS n FROM seq_1_to_\1)"
    return re.sub(r"UPTO\((\d+)\)", source, statement)
