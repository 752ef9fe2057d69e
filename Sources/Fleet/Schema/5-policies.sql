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

-- Gates and people read them. Only the maintainer pushes, as a member of the owner: a gate's password must not allow
-- changing the rules of all gates. Through the view gates, a viewer sees the name of a gate's policy but not its
-- content.
REVOKE ALL ON FUNCTION atsgate.tell_policy(), atsgate.keep_policy() FROM PUBLIC;
GRANT SELECT ON atsgate.policy TO atsgate_writer, atsgate_reader;
