-- What a gate's login may file, since somebody may have stolen its password.

-- A load is filed in the name of a gate, and only by the login that the gate's row belongs to: it counts in that gate's
-- tallies, and is taken out of them with its day. Row-level security on load would refuse COPY
-- (postgresql.org/docs/15/sql-copy.html), and a trigger that looks at each row would halve what a server takes; this one
-- looks at each batch. Nobody but who owns the schema may file into a day itself, which has no trigger.
-- A load that is longer than any gate files (24 KiB) is refused by a code that stands for content (22001), so that its gate
-- passes over it alone: 23514 says that there is no day.
--
-- Who acts as the owner brings loads of any gate, from a backup or another server. Loads that somebody filed in another
-- gate's name before this step are still taken out of that gate's tallies with their day: atsgate store check --count tells
-- of them as long as they are there.
CREATE OR REPLACE FUNCTION atsgate.check_loads() RETURNS trigger
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
REVOKE ALL ON FUNCTION atsgate.check_loads() FROM PUBLIC;
CREATE OR REPLACE TRIGGER checked AFTER INSERT ON atsgate.load
    REFERENCING NEW TABLE AS new_loads FOR EACH STATEMENT EXECUTE FUNCTION atsgate.check_loads();
