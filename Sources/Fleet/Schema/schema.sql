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
INSERT INTO atsgate.version (number) VALUES (2);

-- One row for each spool: the file that a gate records into before its loads are shipped. Its loads up to the number
-- `shipped` are here, and `last` is the id of that load. Both change in the transaction of a batch.
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

-- The id of texts, as above.
CREATE FUNCTION atsgate.content_id(texts text[], handshake uuid) RETURNS uuid
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN encode(
        substring(
            sha256(
                (SELECT string_agg(atsgate.counted(convert_to(one, 'UTF8')), ''::bytea ORDER BY place)
                 FROM unnest(texts) WITH ORDINALITY AS all_texts (one, place))
                || atsgate.counted(uuid_send(handshake)))
            FOR 16),
        'hex')::uuid;

-- The facts of a handshake, stored once for all rows that refer to it. `last_day` is the last day (UTC) for which a
-- gate needed it, so that a prune keeps what a gate is about to use.
CREATE TABLE atsgate.handshake (
    id uuid PRIMARY KEY,
    text text NOT NULL,
    last_day date NOT NULL DEFAULT (now() AT TIME ZONE 'UTC')::date,
    CONSTRAINT handshake_id CHECK (id = atsgate.handshake_id(text))
) WITH (fillfactor = 90);

-- What many loads share, as in a file (docs/architecture.md, "What a row of the store is"). `last_day` is the last day
-- (UTC) for which a gate needed the row: retention deletes rows that no remaining day needs.
CREATE TABLE atsgate.shared (
    id uuid PRIMARY KEY,
    recording text NOT NULL,
    host text NOT NULL,
    verdict text NOT NULL,
    os text NOT NULL,
    label text,
    entrance text NOT NULL,
    policy text,
    bundle text,
    mode text,
    handshake uuid,
    text text NOT NULL,
    last_day date NOT NULL,
    CONSTRAINT shared_id CHECK (
        id = atsgate.content_id(
            ARRAY[recording, host, verdict, os, label, entrance, policy, bundle, mode, text], handshake))
) WITH (fillfactor = 90);
CREATE INDEX shared_by_recording ON atsgate.shared (recording);
CREATE INDEX shared_by_handshake ON atsgate.shared (handshake) WHERE handshake IS NOT NULL;

CREATE TABLE atsgate.diagnosis (
    id uuid PRIMARY KEY,
    rule text,
    text text NOT NULL,
    last_day date NOT NULL,
    CONSTRAINT diagnosis_id CHECK (id = atsgate.content_id(ARRAY[rule, text], NULL))
) WITH (fillfactor = 90);

-- One row for each load. One partition for each day (UTC), load_YYYYMMDD, created by make_day. `gate` is the spool that
-- brought it first, `seq` its number there, and `id` the record's ULID as 128 bits. A load that another copy of the
-- spool brings again, or a gate after a restore, has the same time and id and is not added. No foreign keys: they would
-- halve the throughput. No default partition: each new day would have to be compared with its rows.
CREATE TABLE atsgate.load (
    gate uuid NOT NULL,
    seq bigint NOT NULL,
    id uuid NOT NULL,
    time timestamptz NOT NULL,
    shared uuid NOT NULL,
    diagnosis uuid,
    path text NOT NULL,
    client text NOT NULL,
    method text NOT NULL,
    status bigint,
    sent bigint NOT NULL,
    received bigint NOT NULL,
    connect bigint,
    handshake bigint,
    first_byte bigint,
    total bigint NOT NULL,
    task uuid,
    task_number bigint,
    more text,
    UNIQUE (time, id)
) PARTITION BY RANGE (time);

-- The number of loads that a gate filed for each recording and verdict. A recording without loads has a row with 0.
CREATE TABLE atsgate.tally (
    gate uuid NOT NULL,
    recording text NOT NULL,
    verdict text NOT NULL,
    loads bigint NOT NULL,
    first_time timestamptz NOT NULL,
    last_time timestamptz NOT NULL,
    PRIMARY KEY (gate, recording, verdict),
    CONSTRAINT tally_loads CHECK (loads BETWEEN 0 AND 1000000000000),
    CONSTRAINT tally_times CHECK (
        first_time >= '0001-01-01 00:00:00+00' AND first_time <= '9999-12-31 23:59:59.999999+00'
        AND last_time >= '0001-01-01 00:00:00+00' AND last_time <= '9999-12-31 23:59:59.999999+00')
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
    SELECT l.time, l.id, l.gate, g.host AS machine, g.label, s.recording, s.host, s.verdict, d.rule, s.os
    FROM atsgate.load l
    JOIN atsgate.shared s ON s.id = l.shared
    LEFT JOIN atsgate.diagnosis d ON d.id = l.diagnosis
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

-- Functions that writers may call and that run with the owner's rights. Each fixes its search path and settings, so
-- that a caller's settings cannot change its behavior (postgresql.org/docs/15/sql-createfunction.html, "Writing
-- SECURITY DEFINER Functions Safely").

-- Days are created and dropped under table locks that only authorized roles can take: any login can take an advisory
-- lock, and could then block every gate. Creating a day holds the lock of ATTACH on the table of loads until the
-- transaction ends, and blocks all others that create days. So days are created a week in advance, whenever a day is
-- created, shared rows are added, days are pruned or store init runs. Today's day has then existed for long, and
-- atsgate doctor --store reports a blocking transaction in time.

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
-- Called before add_shared in the same transaction, once for each handshake and day (UTC): a prune deletes handshakes
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

-- Adds shared rows and diagnoses that may exist already. Those that do are marked as needed today and on `day`, the
-- latest day of the loads that follow. Called in a separate transaction before the loads; as with handshakes, once for
-- each row and day (UTC) is enough. Content that is too long is refused. The last day is at most one that may have
-- loads: a prune resets it to today if no load of a future day needs the row. Missing days of the coming week are
-- created afterwards.
CREATE FUNCTION atsgate.add_shared(
    ids uuid[], recordings text[], hosts text[], verdicts text[], oses text[], labels text[], entrances text[],
    policies text[], bundles text[], modes text[], texts text[], handshakes uuid[], day date
) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF EXISTS (
        SELECT FROM unnest(recordings, hosts, verdicts, oses, labels, entrances, policies, bundles, modes, texts)
            AS new (a, b, c, d, e, f, g, h, i, j)
        WHERE octet_length(concat(a, b, c, d, e, f, g, h, i, j)) > 1048576)
    THEN
        RAISE EXCEPTION 'a shared row is longer than the 1 MiB that are kept'
            USING ERRCODE = 'string_data_right_truncation';
    END IF;
    INSERT INTO atsgate.shared (
        id, recording, host, verdict, os, label, entrance, policy, bundle, mode, text, handshake, last_day)
    SELECT DISTINCT ON (new.id) new.*, greatest(least(add_shared.day, '9999-12-30'), (now() AT TIME ZONE 'UTC')::date)
    FROM unnest(
            ids, recordings, hosts, verdicts, oses, labels, entrances, policies, bundles, modes, texts, handshakes)
        AS new (id, recording, host, verdict, os, label, entrance, policy, bundle, mode, text, handshake)
    ORDER BY new.id
    ON CONFLICT (id) DO UPDATE SET last_day = excluded.last_day WHERE shared.last_day < excluded.last_day;
    PERFORM atsgate.make_days_ahead();
END
$$;

CREATE FUNCTION atsgate.add_diagnoses(ids uuid[], rules text[], texts text[], day date) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF EXISTS (SELECT FROM unnest(rules, texts) AS new (rule, text) WHERE octet_length(concat(rule, text)) > 1048576) THEN
        RAISE EXCEPTION 'a diagnosis is longer than the 1 MiB that are kept' USING ERRCODE = 'string_data_right_truncation';
    END IF;
    INSERT INTO atsgate.diagnosis (id, rule, text, last_day)
    SELECT DISTINCT ON (new.id) new.*, greatest(least(add_diagnoses.day, '9999-12-30'), (now() AT TIME ZONE 'UTC')::date)
    FROM unnest(ids, rules, texts) AS new (id, rule, text) ORDER BY new.id
    ON CONFLICT (id) DO UPDATE SET last_day = excluded.last_day WHERE diagnosis.last_day < excluded.last_day;
END
$$;

-- Files loads of a spool, and counts those that are new: a load that is here already is not added. Only the login that
-- owns the gate's row may call it for that gate, in case another login's password was stolen; a member of the owner may
-- file loads of any gate, from a backup or another server. Also adds recordings that have no loads yet.
-- A load that is longer than 1 MiB (gates file at most 24 KiB) is refused with a code for content errors (22001), so
-- that its gate skips only this load: 23514 would mean that the day is missing.
--
-- A load whose shared row or diagnosis is missing is refused (55000): readers could not read it. Its gate then connects
-- again, and sends these rows again.
--
-- Returns the number of loads that were added.
CREATE FUNCTION atsgate.file_loads(
    spool uuid, seqs bigint[], ids uuid[], times timestamptz[], shareds uuid[], diagnoses uuid[], paths text[],
    clients text[], methods text[], statuses bigint[], sents bigint[], receiveds bigint[], connects bigint[],
    handshakes bigint[], first_bytes bigint[], totals bigint[], tasks uuid[], task_numbers bigint[], mores text[],
    recordings text[], begun timestamptz[]
) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    caller name := coalesce(nullif(current_setting('role'), 'none'), session_user);
    added bigint;
BEGIN
    IF NOT pg_has_role(caller, 'atsgate_owner', 'USAGE') AND NOT EXISTS (
        SELECT FROM atsgate.gate g WHERE g.spool = file_loads.spool AND g.owner = caller)
    THEN
        RAISE EXCEPTION 'the gate % is not of the login %', spool, caller USING ERRCODE = 'insufficient_privilege';
    ELSIF EXISTS (
        SELECT FROM unnest(paths, clients, methods, mores) AS new (a, b, c, d)
        WHERE octet_length(concat(a, b, c, d)) > 1048576)
    THEN
        RAISE EXCEPTION 'a load is longer than the 1 MiB that are kept' USING ERRCODE = 'string_data_right_truncation';
    ELSIF EXISTS (
            SELECT FROM (SELECT DISTINCT unnest(shareds) AS id) AS needed
            WHERE NOT EXISTS (SELECT FROM atsgate.shared s WHERE s.id = needed.id))
        OR EXISTS (
            SELECT FROM (SELECT DISTINCT unnest(diagnoses) AS id) AS needed
            WHERE needed.id IS NOT NULL AND NOT EXISTS (SELECT FROM atsgate.diagnosis d WHERE d.id = needed.id))
    THEN
        RAISE EXCEPTION 'the shared row or the diagnosis of a load is missing'
            USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    INSERT INTO atsgate.tally (gate, recording, verdict, loads, first_time, last_time)
    SELECT file_loads.spool, new.recording, 'allowed', 0, new.begun, new.begun
    FROM unnest(recordings, begun) AS new (recording, begun) ORDER BY new.recording COLLATE "C"
    ON CONFLICT DO NOTHING;
    -- Tallies are changed in the order of their names, to avoid deadlocks.
    WITH filed AS (
        INSERT INTO atsgate.load
        SELECT file_loads.spool, new.*
        FROM unnest(
            seqs, ids, times, shareds, diagnoses, paths, clients, methods, statuses, sents, receiveds, connects,
            handshakes, first_bytes, totals, tasks, task_numbers, mores) AS new
        ON CONFLICT (time, id) DO NOTHING
        RETURNING shared, time
    ), counted AS (
        SELECT s.recording, s.verdict, count(*) AS loads, min(filed.time) AS first, max(filed.time) AS last
        FROM filed JOIN atsgate.shared s ON s.id = filed.shared
        GROUP BY s.recording, s.verdict ORDER BY s.recording COLLATE "C", s.verdict COLLATE "C"
    ), tallied AS (
        INSERT INTO atsgate.tally (gate, recording, verdict, loads, first_time, last_time)
        SELECT file_loads.spool, counted.* FROM counted
        ON CONFLICT (gate, recording, verdict) DO UPDATE SET loads = tally.loads + excluded.loads,
            first_time = CASE WHEN tally.loads = 0 THEN excluded.first_time
                ELSE least(tally.first_time, excluded.first_time) END,
            last_time = CASE WHEN tally.loads = 0 THEN excluded.last_time
                ELSE greatest(tally.last_time, excluded.last_time) END
    )
    SELECT coalesce(sum(counted.loads), 0)::bigint INTO added FROM counted;
    RETURN added;
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
        'SELECT l.gate, s.recording, s.verdict, count(*) AS loads '
        'FROM atsgate.%I l LEFT JOIN atsgate.shared s ON s.id = l.shared GROUP BY l.gate, s.recording, s.verdict '
        'ORDER BY l.gate, s.recording COLLATE "C", s.verdict COLLATE "C"', partition)
    LOOP
        UPDATE atsgate.tally t
        SET loads = greatest(0, t.loads - of_one.loads),
            first_time = least(t.last_time, greatest(t.first_time, oldest::timestamp AT TIME ZONE 'UTC'))
        WHERE t.gate = of_one.gate AND t.recording = of_one.recording AND t.verdict = of_one.verdict;
        -- Also the row with which the recording began, before it had loads.
        DELETE FROM atsgate.tally t
        WHERE t.gate = of_one.gate AND t.recording = of_one.recording AND t.loads = 0;
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
GRANT EXECUTE ON FUNCTION atsgate.make_day(date) TO atsgate_writer;
GRANT EXECUTE ON FUNCTION atsgate.add_handshakes(uuid[], text[]) TO atsgate_writer;
GRANT EXECUTE ON FUNCTION
    atsgate.add_shared(
        uuid[], text[], text[], text[], text[], text[], text[], text[], text[], text[], text[], uuid[], date),
    atsgate.add_diagnoses(uuid[], text[], text[], date),
    atsgate.file_loads(
        uuid, bigint[], uuid[], timestamptz[], uuid[], uuid[], text[], text[], text[], bigint[], bigint[], bigint[],
        bigint[], bigint[], bigint[], bigint[], uuid[], bigint[], text[], text[], timestamptz[])
    TO atsgate_writer;

-- A writer sees only its own rows and tallies, and changes only the rows.
GRANT SELECT, INSERT (spool, host, label, version, shipped, last, waiting, policy, started, seen),
    UPDATE (host, label, version, shipped, last, waiting, policy, started, seen) ON atsgate.gate TO atsgate_writer;
GRANT SELECT ON atsgate.tally TO atsgate_writer;
ALTER TABLE atsgate.gate ENABLE ROW LEVEL SECURITY;
ALTER TABLE atsgate.tally ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON atsgate.gate TO atsgate_writer
    USING (owner = current_user) WITH CHECK (owner = current_user);
CREATE POLICY own ON atsgate.tally TO atsgate_writer
    USING (EXISTS (SELECT FROM atsgate.gate g WHERE g.spool = tally.gate AND g.owner = current_user));

-- Reports, the page and watch read everything and change nothing.
GRANT SELECT ON atsgate.gate, atsgate.handshake, atsgate.shared, atsgate.diagnosis, atsgate.load, atsgate.tally
    TO atsgate_reader;
CREATE POLICY read ON atsgate.gate FOR SELECT TO atsgate_reader USING (true);
CREATE POLICY read ON atsgate.tally FOR SELECT TO atsgate_reader USING (true);
GRANT SELECT ON atsgate.loads, atsgate.gates, atsgate.days TO atsgate_reader, atsgate_viewer;

-- Gates and people read dictionaries. Only the maintainer pushes them, as a member of the owner: a gate's password must
-- not allow changing the rules of all gates. Through the view gates, a viewer sees the name of a gate's policy but not
-- its content.
GRANT SELECT ON atsgate.policy TO atsgate_writer, atsgate_reader;

SELECT atsgate.make_days_ahead();
