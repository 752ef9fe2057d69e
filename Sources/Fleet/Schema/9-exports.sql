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
REVOKE ALL ON FUNCTION atsgate.shipped_by(uuid[], timestamptz[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION atsgate.shipped_by(uuid[], timestamptz[]) TO atsgate_writer;
