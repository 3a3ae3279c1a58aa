"""What runs inside the database: triggers that keep the rows of a book, and on PostgreSQL the procedures that decide.

The procedures, with an exact arithmetic of balances on fractions written as text, do what `Request.decide` and
`decisions.resolve` do where nothing is special, and leave everything else to them, with nothing written.
`gaussdp.ledger.decisions` calls them. Fractions need not be in lowest terms here.
"""

from alembic import op

_PARTS = """
  a numeric := split_part(kept, '/', 1);
  b numeric := coalesce(nullif(split_part(kept, '/', 2), ''), '1');
  c numeric := split_part(more, '/', 1);
  d numeric := coalesce(nullif(split_part(more, '/', 2), ''), '1');"""

PLUS = f"""
CREATE FUNCTION ledger_plus(kept text, more text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT AS $$
DECLARE {_PARTS}
  finest CONSTANT numeric := 1e40;
  n numeric; m numeric; g numeric;
BEGIN
  IF c = 0 THEN RETURN kept; END IF;
  g := gcd(b, d);
  n := a * div(d, g) + c * div(b, g); m := b * div(d, g);
  IF m > finest THEN
    g := gcd(n, m); n := div(n, g); m := div(m, g);
  END IF;
  IF m > finest THEN
    n := div(n * finest + m - 1, m); m := finest;  -- rounded up
  END IF;
  RETURN n::text || '/' || m::text;
END $$"""

MINUS = f"""
CREATE FUNCTION ledger_minus(kept text, more text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT AS $$
DECLARE {_PARTS}
  n numeric; m numeric;
BEGIN
  IF b = d THEN n := a - c; m := b; ELSE n := a * d - c * b; m := b * d; END IF;
  RETURN CASE WHEN n <= 0 THEN '0' ELSE n::text || '/' || m::text END;
END $$"""

FITS = f"""
CREATE FUNCTION ledger_fits(kept text, more text, most text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE STRICT AS $$
DECLARE {_PARTS}
  e numeric := split_part(most, '/', 1);
  f numeric := coalesce(nullif(split_part(most, '/', 2), ''), '1');
BEGIN
  RETURN (a * d + c * b) * f <= e * b * d;
END $$"""

_BEGIN = """
  PERFORM set_config('synchronous_commit', 'off', true), set_config('enable_seqscan', 'off', true),
    set_config('plan_cache_mode', 'force_generic_plan', true),
    pg_advisory_xact_lock('ledger_book'::regclass::oid::bigint);"""
"""Plans are kept, also those that were made while the book was short: they must go by the indexes."""

_APPEND = """
  INSERT INTO ledger_entries (seq, time, kind, budget, key, content, hash)
    SELECT l.next, l.at, {kind}, of_budget, of_key, content, encode(sha256(convert_to(
      '["' || l.hash || '",' || l.next || ',"' || l.at || '","' || {kind} || '",' || to_json(of_budget) || ','
      || to_json(of_key) || ',' || content || ']', 'UTF8')), 'hex')
    FROM (SELECT e.seq + 1 AS next, greatest(e.time COLLATE "C", at_time) AS at, e.hash
      FROM ledger_entries e ORDER BY e.seq DESC LIMIT 1) l
    ON CONFLICT (key, kind) DO NOTHING
    RETURNING time, seq, hash INTO at_time, new_seq, new_hash;
  IF NOT FOUND THEN
    ROLLBACK; RETURN;  -- the key was used before
  END IF;
  COMMIT;  -- not yet on the disk, but the next may decide
  PERFORM pg_logical_emit_message(true, 'gaussdp', '');  -- the transaction that ends with this waits for the disk"""

_ADDED = """CASE WHEN split_part(b.{kept}, '/', 2) = lower
        THEN (split_part(b.{kept}, '/', 1)::numeric + upper)::text || '/' || lower
        ELSE ledger_plus(b.{kept}, of_square) END"""
"""Mostly the denominators are the same, which needs no function."""

RESERVE = f"""
CREATE PROCEDURE ledger_reserve(
  of_budget text, of_key text, others text, of_square text, of_slack text,
  INOUT at_time text, INOUT charged text, INOUT new_seq bigint, INOUT new_hash text
) LANGUAGE plpgsql AS $$
DECLARE
  upper numeric := split_part(of_square, '/', 1); lower text := split_part(of_square, '/', 2);  -- never empty
  touched int; holders int; content text;
BEGIN {_BEGIN}
  WITH paid AS (
    UPDATE ledger_budgets b SET spent = {_ADDED.format(kept="spent")},
      pending = {_ADDED.format(kept="pending")},
      spent_slack = CASE WHEN of_slack = '0' THEN b.spent_slack ELSE ledger_plus(b.spent_slack, of_slack) END
    FROM ledger_within w
    WHERE w.budget = of_budget AND b.name = w.holder AND NOT b.per_person
      AND CASE WHEN split_part(b.spent, '/', 2) = lower AND b.most !~ '/'
        THEN split_part(b.spent, '/', 1)::numeric + upper <= b.most::numeric * lower::numeric
        ELSE ledger_fits(b.spent, of_square, b.most) END
      AND (of_slack = '0' OR ledger_fits(b.spent_slack, of_slack, b.most_slack))
    RETURNING b.name, b.periods
  )
  SELECT count(*), (SELECT count(*) FROM ledger_within w WHERE w.budget = of_budget),
    '[' || string_agg('[' || to_json(name) || ',' || periods || ']', ',' ORDER BY name) || ']'
    INTO touched, holders, charged FROM paid;
  IF touched = 0 OR touched <> holders THEN
    ROLLBACK; RETURN;  -- all or none
  END IF;
  content := '{{"charged":' || charged || ',' || others; {_APPEND.format(kind="'reserve'")}
END $$"""

COMMIT = f"""
CREATE PROCEDURE ledger_commit(
  of_key text, INOUT at_time text, INOUT of_budget text, INOUT of_seq bigint, INOUT new_seq bigint, INOUT new_hash text
) LANGUAGE plpgsql AS $$
DECLARE
  known int; said json; content text;
BEGIN {_BEGIN}
  SELECT count(*), min(e.seq), min(e.budget), min(e.content) FILTER (WHERE e.kind = 'reserve')
    INTO known, of_seq, of_budget, content FROM ledger_entries e WHERE e.key = of_key;
  said := content;
  IF known <> 1 OR content IS NULL OR said ->> 'people' IS NOT NULL THEN RETURN; END IF;
  UPDATE ledger_budgets b SET pending = ledger_minus(b.pending, said ->> 'square')
    FROM ledger_within w WHERE w.budget = of_budget AND b.name = w.holder;
  content := '{{"of":' || of_seq || '}}'; {_APPEND.format(kind="'commit'")}
END $$"""

ALL = (PLUS, MINUS, FITS, RESERVE, COMMIT)


def keep_rows(table: str) -> None:
    """Let the rows of a table be added and read, and nothing else."""
    if op.get_bind().dialect.name == "sqlite":
        for action in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER {table}_no_{action.lower()} BEFORE {action} ON {table} "
                "BEGIN SELECT RAISE(ABORT, 'entries of a budget book are never changed'); END"
            )
        return
    op.execute(
        "CREATE OR REPLACE FUNCTION ledger_keep() RETURNS trigger LANGUAGE plpgsql AS "
        "$$BEGIN RAISE EXCEPTION 'entries of a budget book are never changed'; END$$"
    )
    op.execute(
        f"CREATE TRIGGER {table}_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
        "FOR EACH STATEMENT EXECUTE FUNCTION ledger_keep()"
    )
