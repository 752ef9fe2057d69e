-- Limits on what a gate's login may file, in case its password was stolen.

-- A load is filed in the name of a gate, and only by the login that owns the gate's row: it counts in that gate's
-- tallies, and is subtracted from them with its day. With row-level security on load, the server would refuse COPY
-- (postgresql.org/docs/15/sql-copy.html), and a trigger for each row would halve the throughput; this one checks each
-- batch. Only the owner of the schema may file directly into a day, which has no trigger.
-- A load that is longer than 1 MiB (gates file at most 24 KiB) is refused with a code for content errors (22001), so
-- that its gate skips only this load: 23514 would mean that the day is missing.
--
-- A member of the owner may file loads of any gate, from a backup or another server. Loads that were filed in another
-- gate's name before this step are still subtracted from that gate's tallies with their day: atsgate store check
-- --count reports them as long as they exist.
CREATE OR REPLACE FUNCTION atsgate.check_loads() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    filed record;
BEGIN
    IF pg_has_role(current_user, 'atsgate_owner', 'USAGE') THEN
        RETURN NULL;
    END IF;
    FOR filed IN
        SELECT l.gate, max(octet_length(l.entry) + coalesce(octet_length(l.url), 0) + coalesce(octet_length(l.rule), 0))
            AS bytes
        FROM new_loads l GROUP BY l.gate
    LOOP
        IF NOT EXISTS (SELECT FROM atsgate.gate g WHERE g.spool = filed.gate AND g.owner = current_user) THEN
            RAISE EXCEPTION 'the gate % is not of the login %', filed.gate, current_user
                USING ERRCODE = 'insufficient_privilege';
        ELSIF filed.bytes > 1048576 THEN
            RAISE EXCEPTION 'a load of % bytes is longer than the 1 MiB that are kept', filed.bytes
                USING ERRCODE = 'string_data_right_truncation';
        END IF;
    END LOOP;
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION atsgate.check_loads() FROM PUBLIC;
CREATE OR REPLACE TRIGGER checked AFTER INSERT ON atsgate.load
    REFERENCING NEW TABLE AS new_loads FOR EACH STATEMENT EXECUTE FUNCTION atsgate.check_loads();

-- Creating a day holds the lock of ATTACH on the table of loads until the transaction ends, and blocks all others that
-- create days. So days are created a week in advance, whenever a day is created, forms are added, days are pruned or
-- the schema is migrated. Today's day has then existed for long, and atsgate store check reports a blocking transaction
-- in time.

-- True if gates may file loads for the day.
CREATE OR REPLACE FUNCTION atsgate.is_attached(day date) RETURNS boolean
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT EXISTS (
        SELECT FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'atsgate.load'::regclass AND NOT i.inhdetachpending
            AND c.relname = 'load_' || to_char(day, 'YYYYMMDD'))
$$;

-- Attaches a day, under the lock. A table of that name that exists already was detached by an interrupted prune and is
-- attached again. `mark` becomes the comment of a new table.
CREATE OR REPLACE FUNCTION atsgate.attach_day(day date, mark text) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET TimeZone = 'UTC' SET DateStyle = 'ISO'
AS $$
DECLARE
    partition text := 'load_' || to_char(day, 'YYYYMMDD');
BEGIN
    IF NOT EXISTS (
        SELECT FROM pg_class WHERE relname = partition AND relnamespace = 'atsgate'::regnamespace)
    THEN
        EXECUTE format('CREATE TABLE atsgate.%I (LIKE atsgate.load INCLUDING ALL)', partition);
        EXECUTE format('COMMENT ON TABLE atsgate.%I IS %L', partition, mark);
    END IF;
    EXECUTE format(
        'ALTER TABLE atsgate.load ATTACH PARTITION atsgate.%I FOR VALUES FROM (%L) TO (%L)',
        partition, day::timestamp AT TIME ZONE 'UTC', (day + 1)::timestamp AT TIME ZONE 'UTC');
END
$$;

-- Creates today and the next seven days (UTC) if they are missing. Does nothing if the lock is held, because it never
-- waits.
CREATE OR REPLACE FUNCTION atsgate.make_days_ahead() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp SET TimeZone = 'UTC' SET DateStyle = 'ISO' SET lock_timeout = '100ms'
AS $$
DECLARE
    week date[] := ARRAY(SELECT now()::date + n FROM generate_series(0, 7) n);
    day date;
BEGIN
    IF (SELECT bool_and(atsgate.is_attached(d)) FROM unnest(week) d) THEN
        RETURN;
    END IF;
    LOCK TABLE atsgate.load IN SHARE UPDATE EXCLUSIVE MODE NOWAIT;
    FOREACH day IN ARRAY week LOOP
        -- One whose detachment has begun and not ended is make_day's.
        IF NOT EXISTS (
            SELECT FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
            WHERE i.inhparent = 'atsgate.load'::regclass AND c.relname = 'load_' || to_char(day, 'YYYYMMDD'))
        THEN
            PERFORM atsgate.attach_day(day, NULL);
        END IF;
    END LOOP;
EXCEPTION WHEN lock_not_available THEN
    NULL; -- somebody makes a day, or takes one out
END
$$;

-- Like the previous version, with three changes. It needs no lock if the day exists. It creates the next days, too. And
-- days of the coming week do not count as out of turn.
CREATE OR REPLACE FUNCTION atsgate.make_day(day date) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp SET TimeZone = 'UTC' SET DateStyle = 'ISO' SET lock_timeout = '3s'
AS $$
DECLARE
    today date := now()::date;
    partition text := 'load_' || to_char(day, 'YYYYMMDD');
    mark text := 'made out of turn by ' || session_user;
BEGIN
    IF day IS NULL OR day < '1970-01-01' OR day > '9999-12-30' THEN
        RAISE EXCEPTION 'atsgate keeps no loads of the day %', day USING ERRCODE = 'datetime_field_overflow';
    ELSIF atsgate.is_attached(day) THEN
        RETURN false;
    END IF;
    LOCK TABLE atsgate.load IN SHARE UPDATE EXCLUSIVE MODE;
    IF atsgate.is_attached(day) THEN
        RETURN false;
    ELSIF EXISTS (
        SELECT FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'atsgate.load'::regclass AND c.relname = partition)
    THEN
        -- Its detachment has begun and not ended.
        EXECUTE format('ALTER TABLE atsgate.load DETACH PARTITION atsgate.%I FINALIZE', partition);
    END IF;
    IF day BETWEEN today - 31 AND today + 7 OR pg_has_role(session_user, 'atsgate_owner', 'MEMBER') THEN
        mark := NULL;
    ELSIF NOT EXISTS (
            SELECT FROM pg_class WHERE relname = partition AND relnamespace = 'atsgate'::regnamespace)
        AND (
            SELECT count(*) FROM pg_description d JOIN pg_class c ON c.oid = d.objoid
            WHERE d.classoid = 'pg_class'::regclass AND d.objsubid = 0 AND d.description = mark
                AND c.relnamespace = 'atsgate'::regnamespace) >= 1000
    THEN
        RAISE EXCEPTION 'this login has made 1000 days of long ago or to come: a maintainer makes more, or takes some out'
            USING ERRCODE = 'program_limit_exceeded';
    END IF;
    PERFORM atsgate.attach_day(day, mark);
    PERFORM atsgate.make_days_ahead();
    RETURN true;
END
$$;

-- Like the previous version, but content that is too long is refused, as with loads.
CREATE OR REPLACE FUNCTION atsgate.add_handshakes(ids uuid[], texts text[]) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF EXISTS (SELECT FROM unnest(texts) one WHERE octet_length(one) > 1048576) THEN
        RAISE EXCEPTION 'a handshake is longer than the 1 MiB that are kept' USING ERRCODE = 'string_data_right_truncation';
    END IF;
    INSERT INTO atsgate.handshake (id, text)
    SELECT DISTINCT ON (new.id) new.id, new.text FROM unnest(ids, texts) AS new (id, text) ORDER BY new.id
    ON CONFLICT (id) DO UPDATE SET last_day = excluded.last_day WHERE handshake.last_day < excluded.last_day;
END
$$;

-- Like the previous version, with three changes. Content that is too long is refused. The last day is at most one that
-- may have loads: a prune resets a form's last day to today if no load of a future day needs it. And missing days of
-- the coming week are created afterwards.
CREATE OR REPLACE FUNCTION atsgate.add_forms(
    ids uuid[], recordings text[], hosts text[], verdicts text[], oses text[], handshakes uuid[], texts text[], day date
) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF EXISTS (
        SELECT FROM unnest(recordings, hosts, verdicts, oses, texts) AS new (recording, host, verdict, os, text)
        WHERE octet_length(concat(recording, host, verdict, os, text)) > 1048576)
    THEN
        RAISE EXCEPTION 'a form is longer than the 1 MiB that are kept' USING ERRCODE = 'string_data_right_truncation';
    END IF;
    INSERT INTO atsgate.form (id, recording, host, verdict, os, handshake, text, last_day)
    SELECT DISTINCT ON (new.id) new.*, greatest(least(add_forms.day, '9999-12-30'), (now() AT TIME ZONE 'UTC')::date)
    FROM unnest(ids, recordings, hosts, verdicts, oses, handshakes, texts)
        AS new (id, recording, host, verdict, os, handshake, text)
    ORDER BY new.id
    ON CONFLICT (id) DO UPDATE SET last_day = excluded.last_day WHERE form.last_day < excluded.last_day;
    PERFORM atsgate.make_days_ahead();
END
$$;

REVOKE ALL ON FUNCTION atsgate.is_attached(date), atsgate.attach_day(date, text), atsgate.make_days_ahead() FROM PUBLIC;
-- Like the previous version, but the first time of a tally is not later than the oldest other day: loads of an earlier
-- day may have arrived since this one was detached.
CREATE OR REPLACE FUNCTION atsgate.drop_day(day date) RETURNS bigint
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET TimeZone = 'UTC' SET DateStyle = 'ISO'
AS $$
DECLARE
    partition text := 'load_' || to_char(day, 'YYYYMMDD');
    gone bigint := 0;
    oldest date;
    of_one record;
BEGIN
    BEGIN
        EXECUTE format('LOCK TABLE atsgate.%I IN ACCESS EXCLUSIVE MODE', partition);
    EXCEPTION WHEN undefined_table THEN
        RETURN NULL;
    END;
    IF EXISTS (
        SELECT FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE c.relname = partition AND i.inhparent = 'atsgate.load'::regclass)
    THEN
        RETURN NULL;
    END IF;
    SELECT least(drop_day.day + 1, min(d.day)) INTO oldest FROM atsgate.days d WHERE d.day <> drop_day.day;
    -- In the order in which gates change their tallies.
    FOR of_one IN EXECUTE format(
        'SELECT l.gate, f.recording, f.verdict, count(*) AS loads '
        'FROM atsgate.%I l LEFT JOIN atsgate.form f ON f.id = l.form GROUP BY l.gate, f.recording, f.verdict '
        'ORDER BY l.gate, f.recording COLLATE "C", f.verdict COLLATE "C"', partition)
    LOOP
        UPDATE atsgate.tally t
        SET loads = greatest(0, t.loads - of_one.loads),
            first_time = least(t.last_time, greatest(t.first_time, oldest::timestamp AT TIME ZONE 'UTC'))
        WHERE t.gate = of_one.gate AND t.recording = of_one.recording AND t.verdict = of_one.verdict;
        DELETE FROM atsgate.tally t
        WHERE t.gate = of_one.gate AND t.recording = of_one.recording AND t.verdict = of_one.verdict AND t.loads = 0;
        gone := gone + of_one.loads;
    END LOOP;
    EXECUTE format('DROP TABLE atsgate.%I', partition);
    RETURN gone;
END
$$;

SELECT atsgate.make_days_ahead();
