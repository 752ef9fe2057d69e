-- The dictionaries that gates enforce by `--policy store:NAME`: each version a row, as the file was that was pushed.
-- Versions count from 1 for each name. Records name them, so that none ever changes. What is read and shown of them is
-- in the file; the server knows nothing of its format. It is no larger than what atsgate reads of a file.
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

-- Gates listen on the channel; the payload is the name. It is sent when the push is committed.
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

-- Gates and people read them. Only the maintainer pushes, as a member of the owner: who has a gate's password must not
-- change what gates judge by. A dashboard sees which policy a gate has in force, by the view gates, and not what is in it.
REVOKE ALL ON FUNCTION atsgate.tell_policy(), atsgate.keep_policy() FROM PUBLIC;
GRANT SELECT ON atsgate.policy TO atsgate_writer, atsgate_reader;
