-- One row for each spool: the file that a gate records into before its loads are shipped. `shipped` is the number of
-- the last of its loads that is here, and `last` that load's id. Both change in the transaction of the batch, by
--     UPDATE gate SET shipped = NEW, last = NEW ID WHERE spool = ME AND shipped = OLD AND last = OLD ID
-- If no row changes, another process ships the same loads. A file whose load of that number has another id is a copy
-- with other loads.
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
    seen timestamptz
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
    PRIMARY KEY (gate, recording, verdict)
) WITH (fillfactor = 50);
CREATE INDEX tally_by_recording ON atsgate.tally (recording);
