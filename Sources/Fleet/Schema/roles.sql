-- The roles of a shared store. None of them can log in: they are granted to the logins of gates and people.
-- Roles belong to the whole server, so another database may have created them already.
-- Needs a login that may create roles (CREATEROLE); existing roles stay as they are.
DO $$
DECLARE
    missing text;
BEGIN
    FOREACH missing IN ARRAY ARRAY[
        'atsgate_owner', 'atsgate_writer', 'atsgate_reader', 'atsgate_viewer', 'atsgate_maintainer']
    LOOP
        IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = missing) THEN
            BEGIN
                EXECUTE pg_catalog.format('CREATE ROLE %I NOLOGIN', missing);
            EXCEPTION WHEN duplicate_object OR unique_violation THEN
                NULL; -- created at the same time for another database
            END;
        END IF;
    END LOOP;
    -- The maintainer drops days as the owner: PostgreSQL lets only the owner detach a partition.
    IF NOT EXISTS (
        SELECT FROM pg_catalog.pg_auth_members m
        JOIN pg_catalog.pg_roles granted ON granted.oid = m.roleid
        JOIN pg_catalog.pg_roles member ON member.oid = m.member
        WHERE granted.rolname = 'atsgate_owner' AND member.rolname = 'atsgate_maintainer')
    THEN
        GRANT atsgate_owner TO atsgate_maintainer;
    END IF;
END
$$;

COMMENT ON ROLE atsgate_owner IS 'atsgate: owns the shared store';
COMMENT ON ROLE atsgate_writer IS 'atsgate: a gate that ships what it records';
COMMENT ON ROLE atsgate_reader IS 'atsgate: reports, the live page, watch';
COMMENT ON ROLE atsgate_viewer IS 'atsgate: the fleet view of the page, by the views alone';
COMMENT ON ROLE atsgate_maintainer IS 'atsgate: prunes, dictionaries, and changes of recordings';
