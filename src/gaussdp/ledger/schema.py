"""Whether the database of a ledger has the tables, indexes and triggers of this version, and no others upon them.

Each part has a name and a definition. SQLite keeps the text that made each part, which is held against that of a new
ledger in memory. PostgreSQL lists parts in its catalogue, which are held against the tables of `database.metadata`.
"""

from functools import cache

import sqlalchemy as sa
from sqlalchemy.engine import Connection, make_url

from gaussdp.ledger.database import metadata, migrate
from gaussdp.ledger.migrations.inside import KEEP, KEPT

Parts = dict[str, str]
_POSTGRES = make_url("postgresql+psycopg://").get_dialect()()
_LISTED = sa.text(
    "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name LIKE 'ledger#_%' ESCAPE '#' "
    "OR tbl_name LIKE 'ledger#_%' ESCAPE '#' OR (type = 'trigger' AND sql LIKE '%ledger#_%' ESCAPE '#')"
)
_BEFORE_ANY_CHANGE = 2 + 8 + 16 + 32  # how PostgreSQL writes: before DELETE, UPDATE and TRUNCATE, once a statement
_CATALOGUE = """
WITH ours AS (SELECT c.* FROM pg_class c WHERE c.oid IN ({tables}))
SELECT CASE relkind WHEN 'r' THEN 'table ' WHEN 'v' THEN 'view ' ELSE 'relation ' END || relname,
    concat_ws(' ', relpersistence, relrowsecurity, (SELECT count(*) FROM pg_inherits WHERE inhparent = ours.oid))
  FROM ours
UNION ALL SELECT 'column ' || attname || ' of ' || relname,
    concat_ws(' ', format_type(atttypid, atttypmod), attnotnull, attgenerated <> '')
  FROM ours JOIN pg_attribute ON attrelid = ours.oid WHERE attnum > 0 AND NOT attisdropped
UNION ALL SELECT 'index ' || i.relname || ' on ' || ours.relname,
    concat_ws(' ', indisunique, indisvalid, indpred IS NULL AND indexprs IS NULL, (
      SELECT string_agg(a.attname, ',' ORDER BY k.place) FROM unnest(indkey) WITH ORDINALITY AS k (number, place)
      JOIN pg_attribute a ON a.attrelid = indrelid AND a.attnum = k.number))
  FROM ours JOIN pg_index ON indrelid = ours.oid JOIN pg_class i ON i.oid = indexrelid
UNION ALL SELECT 'trigger ' || tgname || ' on ' || relname,
    concat_ws(' ', tgtype, tgenabled, tgqual IS NULL AND tgattr::text = '', prosrc)
  FROM ours JOIN pg_trigger ON tgrelid = ours.oid JOIN pg_proc p ON p.oid = tgfoid WHERE NOT tgisinternal
UNION ALL SELECT 'rule ' || rulename || ' on ' || relname, ''
  FROM ours JOIN pg_rewrite ON ev_class = ours.oid WHERE rulename <> '_RETURN'
UNION ALL SELECT 'constraint ' || conname || ' on ' || relname, pg_get_constraintdef(n.oid)
  FROM ours JOIN pg_constraint n ON conrelid = ours.oid WHERE contype NOT IN ('p', 'n')
"""


def differences(connection: Connection) -> list[str]:
    """What is missing, changed, or too much, each in one sentence."""
    if connection.dialect.name == "sqlite":
        wanted, found = _new_in_sqlite(), _in_sqlite(connection)
    else:
        wanted, found = _new_in_postgres(), _in_postgres(connection)
    missing = [f"the database lacks the {part}" for part in wanted if part not in found]
    changed = [f"the {part} was changed" for part in wanted if found.get(part, wanted[part]) != wanted[part]]
    return missing + changed + [f"the {part} is no part of a ledger" for part in found if part not in wanted]


def _in_sqlite(connection: Connection) -> Parts:
    rows = connection.execute(_LISTED).all()
    return {_named(row.type, row.name, row.tbl_name): " ".join((row.sql or "").split()) for row in rows}


def _named(kind: str, name: str, table: str) -> str:
    return f"{kind} {name}" if name == table else f"{kind} {name} on {table}"


@cache
def _new_in_sqlite() -> Parts:
    engine = sa.create_engine("sqlite://")
    with engine.begin() as connection:
        migrate(connection)
        parts = _in_sqlite(connection)
    engine.dispose()
    return parts


def _in_postgres(connection: Connection) -> Parts:
    tables = ", ".join(f"to_regclass('{table.name}')" for table in metadata.sorted_tables)
    rows = connection.exec_driver_sql(_CATALOGUE.format(tables=tables)).all()
    return {str(name): str(definition) for name, definition in rows}


def _new_in_postgres() -> Parts:
    parts = {"constraint ledger_book_id_check on ledger_book": "CHECK ((id = 1))"}
    for table in metadata.sorted_tables:
        parts[f"table {table.name}"] = "p f 0"
        for column in table.columns:
            kind = column.type.compile(_POSTGRES).lower().replace("varchar", "character varying")
            parts[f"column {column.name} of {table.name}"] = f"{kind} {'ft'[not column.nullable]} f"
        parts[f"index {table.name}_pkey on {table.name}"] = _index(table.primary_key.columns, unique=True)
        for index in table.indexes:
            parts[f"index {index.name} on {table.name}"] = _index(index.columns, unique=bool(index.unique))
    for name in KEPT:
        parts[f"trigger {name}_keep on {name}"] = f"{_BEFORE_ANY_CHANGE} O t {KEEP}"
    return parts


def _index(columns: "sa.sql.base.ReadOnlyColumnCollection[str, sa.Column[object]]", *, unique: bool) -> str:
    return f"{'ft'[unique]} t t {','.join(column.name for column in columns)}"
