-- Functions that writers may call and that run with the owner's rights. Each fixes its search path and settings, so
-- that a caller's settings cannot change its behavior (postgresql.org/docs/15/sql-createfunction.html, "Writing
-- SECURITY DEFINER Functions Safely").

-- Creates the partition of a day (UTC) if it is missing; returns true if it did. Many gates may call it at the same
-- time. Call it outside a transaction, after a batch was refused with 23514 (no partition of relation "load" found for
-- row).
--
-- The partition is created as a separate table and then attached: CREATE TABLE ... PARTITION OF would wait for every
-- open COPY, ATTACH does not (SHARE UPDATE EXCLUSIVE on the parent, postgresql.org/docs/15/sql-altertable.html). A
-- query of the catalogs checks whether it exists: after waiting for the lock, to_regclass may still answer from a
-- cache.
CREATE FUNCTION atsgate.make_day(day date) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp SET TimeZone = 'UTC' SET DateStyle = 'ISO'
AS $$
DECLARE
    partition text := 'load_' || to_char(day, 'YYYYMMDD');
    days bigint;
BEGIN
    IF day IS NULL OR day < '1970-01-01' OR day > '9999-12-30' THEN
        RAISE EXCEPTION 'atsgate keeps no loads of the day %', day USING ERRCODE = 'datetime_field_overflow';
    END IF;
    PERFORM pg_advisory_xact_lock(1096045383, 1);
    SELECT count(*) INTO days FROM pg_inherits WHERE inhparent = 'atsgate.load'::regclass;
    IF EXISTS (
        SELECT FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'atsgate.load'::regclass AND c.relname = partition)
    THEN
        RETURN false;
    END IF;
    IF days >= 5000 THEN
        RAISE EXCEPTION 'the store has 5000 days already: atsgate recordings prune takes days out'
            USING ERRCODE = 'program_limit_exceeded';
    END IF;
    -- A table of that name that is not attached was detached by a prune that did not live to drop it: it is a day
    -- again.
    IF NOT EXISTS (
        SELECT FROM pg_class WHERE relname = partition AND relnamespace = 'atsgate'::regnamespace)
    THEN
        EXECUTE format('CREATE TABLE atsgate.%I (LIKE atsgate.load INCLUDING ALL)', partition);
    END IF;
    EXECUTE format(
        'ALTER TABLE atsgate.load ATTACH PARTITION atsgate.%I FOR VALUES FROM (%L) TO (%L)',
        partition, day::timestamp AT TIME ZONE 'UTC', (day + 1)::timestamp AT TIME ZONE 'UTC');
    RETURN true;
END
$$;

-- Adds handshakes that may exist already, in the order of their ids: two writers with opposite orders would deadlock.
-- Called before add_forms in the same transaction, once for each handshake and day (UTC): a prune deletes handshakes
-- that were not added for longer than it keeps days.
CREATE FUNCTION atsgate.add_handshakes(ids uuid[], texts text[]) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    INSERT INTO atsgate.handshake (id, text)
    SELECT DISTINCT ON (new.id) new.id, new.text FROM unnest(ids, texts) AS new (id, text) ORDER BY new.id
    ON CONFLICT (id) DO UPDATE SET last_day = excluded.last_day WHERE handshake.last_day < excluded.last_day
$$;

-- Adds forms that may exist already. Those that do are marked as needed today and on `day`, the latest day of the loads
-- that follow. Called in a separate transaction before the loads; as with handshakes, once for each form and day (UTC)
-- is enough.
CREATE FUNCTION atsgate.add_forms(
    ids uuid[], recordings text[], hosts text[], verdicts text[], oses text[], handshakes uuid[], texts text[], day date
) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    INSERT INTO atsgate.form (id, recording, host, verdict, os, handshake, text, last_day)
    SELECT DISTINCT ON (new.id) new.*, greatest(add_forms.day, (now() AT TIME ZONE 'UTC')::date)
    FROM unnest(ids, recordings, hosts, verdicts, oses, handshakes, texts)
        AS new (id, recording, host, verdict, os, handshake, text)
    ORDER BY new.id
    ON CONFLICT (id) DO UPDATE SET last_day = excluded.last_day WHERE form.last_day < excluded.last_day
$$;

-- For the maintainer: drops a day that was detached from load, and subtracts its loads from the tallies, whose first
-- time becomes the start of the next day. Returns the number of its loads, or null if there is no such table or it is
-- attached again.
CREATE FUNCTION atsgate.drop_day(day date) RETURNS bigint
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET TimeZone = 'UTC' SET DateStyle = 'ISO'
AS $$
DECLARE
    partition text := 'load_' || to_char(day, 'YYYYMMDD');
    gone bigint := 0;
    of_one record;
BEGIN
    PERFORM pg_advisory_xact_lock(1096045383, 1);
    IF NOT EXISTS (
        SELECT FROM pg_class c
        WHERE relname = partition AND relnamespace = 'atsgate'::regnamespace
            AND NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = c.oid))
    THEN
        RETURN NULL;
    END IF;
    -- In the order in which gates change their tallies.
    FOR of_one IN EXECUTE format(
        'SELECT l.gate, f.recording, f.verdict, count(*) AS loads '
        'FROM atsgate.%I l LEFT JOIN atsgate.form f ON f.id = l.form GROUP BY l.gate, f.recording, f.verdict '
        'ORDER BY l.gate, f.recording COLLATE "C", f.verdict COLLATE "C"', partition)
    LOOP
        UPDATE atsgate.tally t
        SET loads = greatest(0, t.loads - of_one.loads),
            first_time = least(t.last_time, greatest(t.first_time, (day + 1)::timestamp AT TIME ZONE 'UTC'))
        WHERE t.gate = of_one.gate AND t.recording = of_one.recording AND t.verdict = of_one.verdict;
        DELETE FROM atsgate.tally t
        WHERE t.gate = of_one.gate AND t.recording = of_one.recording AND t.verdict = of_one.verdict AND t.loads = 0;
        gone := gone + of_one.loads;
    END LOOP;
    EXECUTE format('DROP TABLE atsgate.%I', partition);
    RETURN gone;
END
$$;
