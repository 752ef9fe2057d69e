-- Before the first step: the schema, and the list of the steps that were made. Runs as who may create schemas in this
-- database, and makes that login a member of the owner where it is not.
DO $$
BEGIN
    IF NOT pg_catalog.pg_has_role(current_user, 'atsgate_owner', 'MEMBER') THEN
        EXECUTE pg_catalog.format('GRANT atsgate_owner TO %I', current_user);
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
