-- A writer reads no loads. When the file of a spool turns out not to be what was shipped of it, its gate asks which of the
-- loads that it names came from that spool: the place of the last of them that did, null for none. Only of a spool of its
-- own, or as who reads all loads anyway; anybody else is refused, since null would have loads shipped twice.
--
-- By id and time, since that is what loads have an index for, and by nothing else: a hash of all loads takes minutes.
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
