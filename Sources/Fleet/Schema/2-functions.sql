-- What writers may have done for them, with the owner's rights. Each has its search path and settings nailed down:
-- nothing that a caller sets may change what they do (postgresql.org/docs/15/sql-createfunction.html, "Writing SECURITY
-- DEFINER Functions Safely").

-- Makes the partition of a day (UTC) where it is missing; true when it did. Any number of gates may call it at once.
-- Call it outside a transaction, after a batch was refused with 23514 (no partition of relation "load" found for
-- row).
--
-- Made as a table of its own and then attached: CREATE TABLE ... PARTITION OF would wait behind every open COPY,
-- ATTACH does not (SHARE UPDATE EXCLUSIVE on the parent, postgresql.org/docs/15/sql-altertable.html). Whether it is
-- there is asked of the catalogues by a query: behind the lock, to_regclass may still answer from a cache.
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

-- Handshakes that may be here already, in the order of their numbers: two writers that met in opposite orders would stop
-- each other. Called in one transaction with add_forms, before it; once for each handshake and day (UTC) is enough, and
-- less is not: a prune takes out what nobody has counted on for longer than it keeps.
CREATE FUNCTION atsgate.add_handshakes(ids uuid[], texts text[]) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    INSERT INTO atsgate.handshake (id, text)
    SELECT DISTINCT ON (new.id) new.id, new.text FROM unnest(ids, texts) AS new (id, text) ORDER BY new.id
    ON CONFLICT (id) DO UPDATE SET last_day = excluded.last_day WHERE handshake.last_day < excluded.last_day
$$;

-- Forms that may be here already; those that are learn that they are counted on today, and on `day`, the latest of the
-- loads that are to come. Called in a transaction of its own, before the loads; once for each form and day (UTC) is
-- enough, as with handshakes.
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

-- For the maintainer: takes a day out for good that was detached from load, and its loads out of the tallies, whose
-- first time becomes the begin of the next day. Gives the number of its loads, or null where there is no such table
-- or it is a day again.
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
