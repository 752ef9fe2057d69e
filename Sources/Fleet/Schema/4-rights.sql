-- The rights of each role. All other roles have none; PUBLIC may not even use the schema.
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA atsgate FROM PUBLIC;
GRANT USAGE ON SCHEMA atsgate TO atsgate_writer, atsgate_reader, atsgate_viewer;
GRANT SELECT ON atsgate.step TO atsgate_writer, atsgate_reader, atsgate_viewer;

-- A gate adds loads and cannot read them. With row-level security on load, the server would refuse COPY
-- (postgresql.org/docs/15/sql-copy.html), so a writer may add loads in another gate's name. It cannot make that gate's
-- tallies match.
GRANT INSERT ON atsgate.load TO atsgate_writer;
GRANT EXECUTE ON FUNCTION atsgate.make_day(date) TO atsgate_writer;
GRANT EXECUTE ON FUNCTION atsgate.add_handshakes(uuid[], text[]) TO atsgate_writer;
GRANT EXECUTE ON FUNCTION
    atsgate.add_forms(uuid[], text[], text[], text[], text[], uuid[], text[], date) TO atsgate_writer;

-- A writer sees and changes only its own rows and tallies.
GRANT SELECT, INSERT (spool, host, label, version, shipped, last, waiting, policy, started, seen),
    UPDATE (host, label, version, shipped, last, waiting, policy, started, seen) ON atsgate.gate TO atsgate_writer;
GRANT SELECT, INSERT, UPDATE (loads, first_time, last_time) ON atsgate.tally TO atsgate_writer;
ALTER TABLE atsgate.gate ENABLE ROW LEVEL SECURITY;
ALTER TABLE atsgate.tally ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON atsgate.gate TO atsgate_writer
    USING (owner = current_user) WITH CHECK (owner = current_user);
CREATE POLICY own ON atsgate.tally TO atsgate_writer
    USING (EXISTS (SELECT FROM atsgate.gate g WHERE g.spool = tally.gate AND g.owner = current_user))
    WITH CHECK (EXISTS (SELECT FROM atsgate.gate g WHERE g.spool = tally.gate AND g.owner = current_user));

-- Reports, the page and watch read everything and change nothing.
GRANT SELECT ON atsgate.gate, atsgate.handshake, atsgate.form, atsgate.load, atsgate.tally TO atsgate_reader;
CREATE POLICY read ON atsgate.gate FOR SELECT TO atsgate_reader USING (true);
CREATE POLICY read ON atsgate.tally FOR SELECT TO atsgate_reader USING (true);
GRANT SELECT ON atsgate.loads, atsgate.gates, atsgate.days TO atsgate_reader, atsgate_viewer;
