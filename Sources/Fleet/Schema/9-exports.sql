-- A file that was made of a spool, as an exported recording is, has the same loads under another identity. Who brings a
-- file that the server does not know asks which of his gates has brought one of the loads that he names: null for none.
-- Of gates of other logins he learns nothing, unless he reads all loads anyway.
--
-- By id and time, as last_shipped.
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
