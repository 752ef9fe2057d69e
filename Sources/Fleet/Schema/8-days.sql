-- Days are created and dropped under table locks that only authorized roles can take. Advisory locks, which earlier
-- steps used, can be taken by any login, which could then block every gate.

-- Like the previous version, with three changes. It locks the table of loads as ATTACH does, in a mode that requires
-- more than SELECT or INSERT. Days that ended more than a month ago and days after tomorrow, which old spools and wrong
-- clocks create, are limited for each login, so that other logins can still create theirs. And a day whose detachment
-- has begun but not ended, for which the server accepts no loads, is attached again; that waits for earlier
-- transactions, and gives up (55P03) after three seconds.
CREATE OR REPLACE FUNCTION atsgate.make_day(day date) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp SET TimeZone = 'UTC' SET DateStyle = 'ISO' SET lock_timeout = '3s'
AS $$
DECLARE
    today date := now()::date;
    partition text := 'load_' || to_char(day, 'YYYYMMDD');
    mark text := 'made out of turn by ' || session_user;
    trusted boolean := pg_has_role(session_user, 'atsgate_owner', 'MEMBER');
    pending boolean;
BEGIN
    IF day IS NULL OR day < '1970-01-01' OR day > '9999-12-30' THEN
        RAISE EXCEPTION 'atsgate keeps no loads of the day %', day USING ERRCODE = 'datetime_field_overflow';
    END IF;
    LOCK TABLE atsgate.load IN SHARE UPDATE EXCLUSIVE MODE;
    SELECT i.inhdetachpending INTO pending FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'atsgate.load'::regclass AND c.relname = partition;
    IF NOT pending THEN
        RETURN false;
    ELSIF pending THEN
        EXECUTE format('ALTER TABLE atsgate.load DETACH PARTITION atsgate.%I FINALIZE', partition);
    ELSIF NOT EXISTS (
        SELECT FROM pg_class WHERE relname = partition AND relnamespace = 'atsgate'::regnamespace)
    THEN
        EXECUTE format('CREATE TABLE atsgate.%I (LIKE atsgate.load INCLUDING ALL)', partition);
        -- The table's comment says who made it: it goes with the table, and comes back with a dump.
        IF day NOT BETWEEN today - 31 AND today + 1 AND NOT trusted THEN
            IF (
                SELECT count(*) FROM pg_description d JOIN pg_class c ON c.oid = d.objoid
                WHERE d.classoid = 'pg_class'::regclass AND d.objsubid = 0 AND d.description = mark
                    AND c.relnamespace = 'atsgate'::regnamespace) >= 1000
            THEN
                RAISE EXCEPTION 'this login has made 1000 days of long ago or to come: a maintainer makes more, or takes some out'
                    USING ERRCODE = 'program_limit_exceeded';
            END IF;
            EXECUTE format('COMMENT ON TABLE atsgate.%I IS %L', partition, mark);
        END IF;
    END IF;
    -- A table of that name that is not attached was detached by a prune that did not live to drop it: it is a day
    -- again.
    EXECUTE format(
        'ALTER TABLE atsgate.load ATTACH PARTITION atsgate.%I FOR VALUES FROM (%L) TO (%L)',
        partition, day::timestamp AT TIME ZONE 'UTC', (day + 1)::timestamp AT TIME ZONE 'UTC');
    RETURN true;
END
$$;

-- Like the previous version, but it locks the table that it drops, and waits for its readers before it counts.
CREATE OR REPLACE FUNCTION atsgate.drop_day(day date) RETURNS bigint
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET TimeZone = 'UTC' SET DateStyle = 'ISO'
AS $$
DECLARE
    partition text := 'load_' || to_char(day, 'YYYYMMDD');
    gone bigint := 0;
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
