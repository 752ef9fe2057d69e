-- Runs before the first step: creates the schema and the table of steps. Needs a login that may create schemas in this
-- database, and makes that login a member of the owner if it is not. Since PostgreSQL 16, the creator of a role is a
-- member that may neither act as the role nor use its rights (postgresql.org/docs/16/runtime-config-client.html,
-- createrole_self_grant).
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

CREATE TABLE atsgate.step (
    name text PRIMARY KEY,
    applied timestamptz NOT NULL DEFAULT now(),
    by name NOT NULL DEFAULT session_user
);
COMMENT ON TABLE atsgate.step IS 'the steps that were made; a program that does not know one of them is too old';
