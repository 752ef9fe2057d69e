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
REVOKE ALL ON FUNCTION atsgate.last_shipped(uuid, uuid[], timestamptz[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION atsgate.last_shipped(uuid, uuid[], timestamptz[]) TO atsgate_writer;
