-- The schema of a shared store, made in one transaction. Its number is in the table version; a change of the schema is a
-- new number. Needs a login that may create schemas in this database, and makes that login a member of the owner if it is
-- not. Since PostgreSQL 16, the creator of a role is a member that may neither act as the role nor use its rights
-- (postgresql.org/docs/16/runtime-config-client.html, createrole_self_grant).
DO $$
BEGIN
    IF pg_catalog.current_setting('server_version_num')::int < 160000 THEN
        IF NOT pg_catalog.pg_has_role(current_user, 'atsgate_owner', 'MEMBER') THEN
            EXECUTE pg_catalog.format('GRANT atsgate_owner TO %I', current_user);
        END IF;
    ELSIF NOT (
        pg_catalog.pg_has_role(current_user, 'atsgate_owner', 'SET')
        AND pg_catalog.pg_has_role(current_user, 'atsgate_owner', 'USAGE'))
    THEN
        EXECUTE pg_catalog.format('GRANT atsgate_owner TO %I WITH SET TRUE, INHERIT TRUE', current_user);
    END IF;
END
$$;

CREATE SCHEMA atsgate AUTHORIZATION atsgate_owner;
COMMENT ON SCHEMA atsgate IS 'the loads that gates of atsgate recorded';

SET LOCAL ROLE atsgate_owner;

CREATE TABLE atsgate.version (
    number int NOT NULL,
    made timestamptz NOT NULL DEFAULT now(),
    by name NOT NULL DEFAULT session_user
);
COMMENT ON TABLE atsgate.version IS 'the number of the schema; a program that needs another one rejects the store';
INSERT INTO atsgate.version (number) VALUES (1);

-- One row for each spool: the file that a gate records into before its loads are shipped. `shipped` is the number of
-- the last of its loads that is here, and `last` that load's id. Both change in the transaction of the batch, by
--     UPDATE gate SET shipped = NEW, last = NEW ID WHERE spool = ME AND shipped = OLD AND last = OLD ID
-- If no row changes, another process ships the same loads. A file whose load of that number has another id is a copy
-- with other loads.
--
-- Values that a gate's login writes are summed and shown to others. The bounds here and of tally ensure that sums fit
-- into 64 bits and times can be compared and subtracted, even if the password was stolen.
CREATE TABLE atsgate.gate (
    spool uuid PRIMARY KEY,
    host text NOT NULL,
    label text,
    version text NOT NULL,
    owner name NOT NULL DEFAULT current_user,
    shipped bigint NOT NULL DEFAULT 0,
    last uuid,
    waiting bigint,
    policy text,
    started timestamptz,
    seen timestamptz,
    CONSTRAINT gate_numbers CHECK (shipped >= 0 AND waiting BETWEEN 0 AND 1000000000000),
    CONSTRAINT gate_times CHECK (isfinite(started) AND isfinite(seen))
) WITH (fillfactor = 50);
COMMENT ON COLUMN atsgate.gate.owner IS 'the login that ships this spool; no other writer sees or changes the row';
COMMENT ON COLUMN atsgate.gate.waiting IS 'loads in the spool that are not here yet, as the gate last said';

-- The first 128 bits of the SHA-256 of content: for each part its length in bytes (4 bytes, most significant first) and
-- its UTF-8; for a UUID its 16 bytes; for null only the length -1. Gates compute these ids, and the server computes
-- them again, so that no writer can store other content under an id that another gate will use.
CREATE FUNCTION atsgate.counted(part bytea) RETURNS bytea
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN int4send(coalesce(octet_length(part), -1)) || coalesce(part, ''::bytea);

CREATE FUNCTION atsgate.handshake_id(text text) RETURNS uuid
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN encode(substring(sha256(atsgate.counted(convert_to(text, 'UTF8'))) FOR 16), 'hex')::uuid;

CREATE FUNCTION atsgate.form_id(
    recording text, host text, verdict text, os text, handshake uuid, text text
) RETURNS uuid
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN encode(
        substring(
            sha256(
                atsgate.counted(convert_to(recording, 'UTF8')) || atsgate.counted(convert_to(host, 'UTF8'))
                || atsgate.counted(convert_to(verdict, 'UTF8')) || atsgate.counted(convert_to(os, 'UTF8'))
                || atsgate.counted(uuid_send(handshake)) || atsgate.counted(convert_to(text, 'UTF8')))
            FOR 16),
        'hex')::uuid;

-- The facts of a handshake, stored once for all forms that refer to it. `last_day` is the last day (UTC) for which a
-- gate needed it, so that a prune keeps what a gate is about to use.
CREATE TABLE atsgate.handshake (
    id uuid PRIMARY KEY,
    text text NOT NULL,
    last_day date NOT NULL DEFAULT (now() AT TIME ZONE 'UTC')::date,
    CONSTRAINT handshake_id CHECK (id = atsgate.handshake_id(text))
) WITH (fillfactor = 90);

-- The part that many loads share. `last_day` is the last day (UTC) for which a gate needed the form: retention deletes
-- forms that no remaining day needs.
CREATE TABLE atsgate.form (
    id uuid PRIMARY KEY,
    recording text NOT NULL,
    host text NOT NULL,
    verdict text NOT NULL,
    os text NOT NULL,
    handshake uuid,
    text text NOT NULL,
    last_day date NOT NULL,
    CONSTRAINT form_id CHECK (id = atsgate.form_id(recording, host, verdict, os, handshake, text))
) WITH (fillfactor = 90);
CREATE INDEX form_by_recording ON atsgate.form (recording);
CREATE INDEX form_by_handshake ON atsgate.form (handshake) WHERE handshake IS NOT NULL;

-- The part of a load that is its own. One partition for each day (UTC), load_YYYYMMDD, created by make_day. `gate` is
-- the spool, `id` the record's ULID as 128 bits, `rule` the deciding rule, and `url` the load's URL, separate from the
-- entry so that grouping need not parse it. No foreign keys and no unique index: they would halve the throughput, and
-- `gate.shipped` already prevents duplicates. No default partition: each new day would have to be compared with its
-- rows.
CREATE TABLE atsgate.load (
    gate uuid NOT NULL,
    seq bigint NOT NULL,
    id uuid NOT NULL,
    time timestamptz NOT NULL,
    form uuid NOT NULL,
    rule text,
    url text,
    entry text NOT NULL
) PARTITION BY RANGE (time);
CREATE INDEX load_by_time ON atsgate.load (time, id);

DO $$
BEGIN
    ALTER TABLE atsgate.load ALTER COLUMN entry SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN
    RAISE NOTICE 'this server was built without lz4: entries are compressed by pglz, which is slower';
END
$$;

-- The number of loads that a gate shipped for each recording and verdict, updated in the transaction of the batch. A
-- recording without loads has a row with 0.
CREATE TABLE atsgate.tally (
    gate uuid NOT NULL,
    recording text NOT NULL,
    verdict text NOT NULL,
    loads bigint NOT NULL,
    first_time timestamptz NOT NULL,
    last_time timestamptz NOT NULL,
    PRIMARY KEY (gate, recording, verdict),
    CONSTRAINT tally_loads CHECK (loads BETWEEN 0 AND 1000000000000),
    CONSTRAINT tally_times CHECK (isfinite(first_time) AND isfinite(last_time))
) WITH (fillfactor = 50);
CREATE INDEX tally_by_recording ON atsgate.tally (recording);

-- The dictionaries that gates enforce with `--policy store:NAME`: one row for each version, with the file as it was
-- pushed. Versions count from 1 for each name. They never change, because records refer to them. The server does not
-- parse the content. Its size limit is that of atsgate for files.
CREATE TABLE atsgate.policy (
    name text NOT NULL CHECK (name ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$'),
    version bigint NOT NULL CHECK (version > 0),
    content bytea NOT NULL CHECK (octet_length(content) <= 16777216),
    digest bytea NOT NULL GENERATED ALWAYS AS (sha256(content)) STORED,
    pushed timestamptz NOT NULL DEFAULT now(),
    by name NOT NULL DEFAULT session_user,
    PRIMARY KEY (name, version)
);
COMMENT ON COLUMN atsgate.policy.by IS 'the login that pushed it';

-- Gates listen on this channel; the payload is the name. It is sent when the push is committed.
CREATE FUNCTION atsgate.tell_policy() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM pg_notify('atsgate_policies', NEW.name);
    RETURN NULL;
END
$$;
CREATE TRIGGER told AFTER INSERT ON atsgate.policy FOR EACH ROW EXECUTE FUNCTION atsgate.tell_policy();

CREATE FUNCTION atsgate.keep_policy() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RAISE EXCEPTION 'a version of a policy never changes or goes, since records name it: push another one'
        USING ERRCODE = 'restrict_violation';
END
$$;
CREATE TRIGGER kept BEFORE UPDATE OR DELETE ON atsgate.policy FOR EACH ROW EXECUTE FUNCTION atsgate.keep_policy();

-- Views run with their owner's rights, not their reader's, so that a viewer sees these columns and nothing else.
-- They contain no client address, no URL and no part of a record except its host.

-- One row for each load. Filter by `time`, so that only the days in question are read.
CREATE VIEW atsgate.loads AS
    SELECT l.time, l.id, l.gate, g.host AS machine, g.label, f.recording, f.host, f.verdict, l.rule, f.os
    FROM atsgate.load l
    JOIN atsgate.form f ON f.id = l.form
    LEFT JOIN atsgate.gate g ON g.spool = l.gate;

-- One row for each gate, or more precisely each spool.
CREATE VIEW atsgate.gates AS
    SELECT g.spool AS gate, g.host AS machine, g.label, g.version, g.owner, g.policy, g.started, g.seen, g.shipped,
        g.waiting, coalesce(t.loads, 0) AS loads, coalesce(t.blocked, 0) AS blocked, t.last_time AS last_load
    FROM atsgate.gate g
    LEFT JOIN (
        SELECT gate, sum(loads)::bigint AS loads,
            coalesce(sum(loads) FILTER (WHERE verdict IN ('blocked', 'wouldBlock')), 0)::bigint AS blocked,
            max(last_time) AS last_time
        FROM atsgate.tally GROUP BY gate
    ) t ON t.gate = g.spool;

-- One row for each day that has a partition, and for each detached day that an interrupted prune did not drop. `loads`
-- is the server's own estimate, -1 if it has none yet.
CREATE VIEW atsgate.days AS
    SELECT to_date(substr(c.relname, 6), 'YYYYMMDD') AS day, i.inhrelid IS NOT NULL AS attached,
        coalesce(i.inhdetachpending, false) AS detaching, c.reltuples::bigint AS loads,
        pg_total_relation_size(c.oid) AS bytes
    FROM pg_class c
    LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
    WHERE c.relnamespace = 'atsgate'::regnamespace AND c.relkind = 'r' AND c.relname ~ '^load_[0-9]{8}$';

-- Limits on what a gate's login may file, in case its password was stolen.

-- A load is filed in the name of a gate, and only by the login that owns the gate's row: it counts in that gate's
-- tallies, and is subtracted from them with its day. With row-level security on load, the server would refuse COPY
-- (postgresql.org/docs/15/sql-copy.html), and a trigger for each row would halve the throughput; this one checks each
-- batch. Only the owner of the schema may file directly into a day, which has no trigger.
-- A load that is longer than 1 MiB (gates file at most 24 KiB) is refused with a code for content errors (22001), so
-- that its gate skips only this load: 23514 would mean that the day is missing.
--
-- A member of the owner may file loads of any gate, from a backup or another server.
CREATE FUNCTION atsgate.check_loads() RETURNS trigger
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
CREATE TRIGGER checked AFTER INSERT ON atsgate.load
    REFERENCING NEW TABLE AS new_loads FOR EACH STATEMENT EXECUTE FUNCTION atsgate.check_loads();

-- Functions that writers may call and that run with the owner's rights. Each fixes its search path and settings, so
-- that a caller's settings cannot change its behavior (postgresql.org/docs/15/sql-createfunction.html, "Writing
-- SECURITY DEFINER Functions Safely").

-- Days are created and dropped under table locks that only authorized roles can take: any login can take an advisory
-- lock, and could then block every gate. Creating a day holds the lock of ATTACH on the table of loads until the
-- transaction ends, and blocks all others that create days. So days are created a week in advance, whenever a day is
-- created, forms are added, days are pruned or store init runs. Today's day has then existed for long, and
-- atsgate store check reports a blocking transaction in time.

-- True if gates may file loads for the day.
CREATE FUNCTION atsgate.is_attached(day date) RETURNS boolean
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT EXISTS (
        SELECT FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'atsgate.load'::regclass AND NOT i.inhdetachpending
            AND c.relname = 'load_' || to_char(day, 'YYYYMMDD'))
$$;

-- Attaches a day, under the lock. A table of that name that exists already was detached by an interrupted prune and is
-- attached again. `mark` becomes the comment of a new table.
CREATE FUNCTION atsgate.attach_day(day date, mark text) RETURNS void
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
CREATE FUNCTION atsgate.make_days_ahead() RETURNS void
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

-- Creates the partition of a day (UTC) if it is missing; returns true if it did. Many gates may call it at the same
-- time. Call it outside a transaction, after a batch was refused with 23514 (no partition of relation "load" found for
-- row). It also creates the next days, and needs no lock if the day exists.
--
-- The partition is created as a separate table and then attached: CREATE TABLE ... PARTITION OF would wait for every
-- open COPY, ATTACH does not (SHARE UPDATE EXCLUSIVE on the parent, postgresql.org/docs/15/sql-altertable.html). A
-- query of the catalogs checks whether it exists: after waiting for the lock, to_regclass may still answer from a
-- cache.
--
-- Days that ended more than a month ago and days after the coming week, which old spools and wrong clocks create, are
-- limited for each login, so that other logins can still create theirs. A day whose detachment has begun but not ended,
-- for which the server accepts no loads, is attached again; that waits for earlier transactions, and gives up (55P03)
-- after three seconds.
CREATE FUNCTION atsgate.make_day(day date) RETURNS boolean
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

-- Adds handshakes that may exist already, in the order of their ids: two writers with opposite orders would deadlock.
-- Called before add_forms in the same transaction, once for each handshake and day (UTC): a prune deletes handshakes
-- that were not added for longer than it keeps days. Content that is too long is refused, as with loads.
CREATE FUNCTION atsgate.add_handshakes(ids uuid[], texts text[]) RETURNS void
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

-- Adds forms that may exist already. Those that do are marked as needed today and on `day`, the latest day of the loads
-- that follow. Called in a separate transaction before the loads; as with handshakes, once for each form and day (UTC)
-- is enough. Content that is too long is refused. The last day is at most one that may have loads: a prune resets a
-- form's last day to today if no load of a future day needs it. Missing days of the coming week are created afterwards.
CREATE FUNCTION atsgate.add_forms(
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

-- A writer cannot read loads. If a spool's file does not match what was shipped of it, its gate calls this to learn
-- which of the given loads came from that spool: returns the position of the last such load, null if there is none.
-- Only for the caller's own spool, or for a role that reads all loads anyway. Others get an error, since null would
-- make them ship loads twice.
--
-- Looks loads up by id and time, for which there is an index, and only that way: hashing all loads takes minutes.
CREATE FUNCTION atsgate.last_shipped(spool uuid, ids uuid[], times timestamptz[]) RETURNS bigint
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
DECLARE
    caller name := coalesce(nullif(current_setting('role'), 'none'), session_user);
BEGIN
    IF NOT pg_has_role(caller, 'atsgate_owner', 'USAGE') AND NOT EXISTS (
        SELECT FROM atsgate.gate g WHERE g.spool = last_shipped.spool AND g.owner = caller)
    THEN
        RAISE EXCEPTION 'the spool % is not of the login %', spool, caller USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN (
        SELECT max(asked.place)
        FROM unnest(ids, times) WITH ORDINALITY AS asked (id, time, place)
        JOIN atsgate.load l ON l.time = asked.time AND l.id = asked.id
        WHERE l.gate = last_shipped.spool);
END
$$;

-- A file made from a spool, such as an exported recording, has the same loads under another identity. A login that
-- ships a file unknown to the server calls this to learn which of its gates has shipped one of the given loads: null if
-- none. Gates of other logins are not revealed, unless the caller reads all loads anyway.
--
-- Looks loads up by id and time, like last_shipped.
CREATE FUNCTION atsgate.shipped_by(ids uuid[], times timestamptz[]) RETURNS uuid
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
DECLARE
    caller name := coalesce(nullif(current_setting('role'), 'none'), session_user);
    is_owner boolean := pg_has_role(caller, 'atsgate_owner', 'USAGE');
    found record;
BEGIN
    FOR found IN
        SELECT DISTINCT l.gate
        FROM unnest(ids, times) AS asked (id, time)
        JOIN atsgate.load l ON l.time = asked.time AND l.id = asked.id
    LOOP
        IF is_owner OR EXISTS (SELECT FROM atsgate.gate g WHERE g.spool = found.gate AND g.owner = caller) THEN
            RETURN found.gate;
        END IF;
    END LOOP;
    RETURN NULL;
END
$$;

-- For the maintainer: drops a day that was detached from load, and subtracts its loads from the tallies. Locks the table,
-- which waits for its readers, before it counts. The first time of a tally becomes the start of the next day, or of the
-- oldest other day: loads of an earlier day may have arrived since this one was detached. Returns the number of its
-- loads, or null if there is no such table or it is attached again.
CREATE FUNCTION atsgate.drop_day(day date) RETURNS bigint
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

-- The rights of each role. All other roles have none; PUBLIC may not even use the schema.
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA atsgate FROM PUBLIC;
GRANT USAGE ON SCHEMA atsgate TO atsgate_writer, atsgate_reader, atsgate_viewer;
GRANT SELECT ON atsgate.version TO atsgate_writer, atsgate_reader, atsgate_viewer;

-- A gate adds loads and cannot read them.
GRANT INSERT ON atsgate.load TO atsgate_writer;
GRANT EXECUTE ON FUNCTION atsgate.make_day(date) TO atsgate_writer;
GRANT EXECUTE ON FUNCTION atsgate.add_handshakes(uuid[], text[]) TO atsgate_writer;
GRANT EXECUTE ON FUNCTION
    atsgate.add_forms(uuid[], text[], text[], text[], text[], uuid[], text[], date) TO atsgate_writer;
GRANT EXECUTE ON FUNCTION atsgate.last_shipped(uuid, uuid[], timestamptz[]) TO atsgate_writer;
GRANT EXECUTE ON FUNCTION atsgate.shipped_by(uuid[], timestamptz[]) TO atsgate_writer;

-- A writer sees and changes only its own rows and tallies.
GRANT SELECT, INSERT (spool, host, label, version, shipped, last, waiting, policy, started, seen),
    UPDATE (host, label, version, shipped, last, waiting, policy, started, seen) ON atsgate.gate TO atsgate_writer;
GRANT SELECT, INSERT, UPDATE (loads, first_time, last_time) ON atsgate.tally TO atsgate_writer;
ALTER TABLE atsgate.gate ENABLE ROW LEVEL SECURITY;
ALTER TABLE atsgate.tally ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON atsgate.gate TO atsgate_writer
    USING (owner = current_user) WITH CHECK (owner = current_user);
CREATE POLICY own ON atsgate.tally TO atsgate_writer
    USING (EXISTS (SELECT FROM atsgate.gate g WHERE g.spool = tally.gate AND g.owner = current_user))
    WITH CHECK (EXISTS (SELECT FROM atsgate.gate g WHERE g.spool = tally.gate AND g.owner = current_user));

-- Reports, the page and watch read everything and change nothing.
GRANT SELECT ON atsgate.gate, atsgate.handshake, atsgate.form, atsgate.load, atsgate.tally TO atsgate_reader;
CREATE POLICY read ON atsgate.gate FOR SELECT TO atsgate_reader USING (true);
CREATE POLICY read ON atsgate.tally FOR SELECT TO atsgate_reader USING (true);
GRANT SELECT ON atsgate.loads, atsgate.gates, atsgate.days TO atsgate_reader, atsgate_viewer;

-- Gates and people read dictionaries. Only the maintainer pushes them, as a member of the owner: a gate's password must
-- not allow changing the rules of all gates. Through the view gates, a viewer sees the name of a gate's policy but not
-- its content.
GRANT SELECT ON atsgate.policy TO atsgate_writer, atsgate_reader;

SELECT atsgate.make_days_ahead();
