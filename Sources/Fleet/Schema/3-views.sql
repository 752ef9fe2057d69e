-- Views run with their owner's rights, not their reader's, so that a viewer sees these columns and nothing else.
-- They contain no client address, no URL and no part of a record except its host.

-- One row for each load. Filter by `time`, so that only the days in question are read.
CREATE VIEW atsgate.loads AS
    SELECT l.time, l.id, l.gate, g.host AS machine, g.label, f.recording, f.host, f.verdict, l.rule, f.os
    FROM atsgate.load l
    JOIN atsgate.form f ON f.id = l.form
    LEFT JOIN atsgate.gate g ON g.spool = l.gate;

-- One row for each gate, or more precisely each spool.
CREATE VIEW atsgate.gates AS
    SELECT g.spool AS gate, g.host AS machine, g.label, g.version, g.owner, g.policy, g.started, g.seen, g.shipped,
        g.waiting, coalesce(t.loads, 0) AS loads, coalesce(t.blocked, 0) AS blocked, t.last_time AS last_load
    FROM atsgate.gate g
    LEFT JOIN (
        SELECT gate, sum(loads)::bigint AS loads,
            coalesce(sum(loads) FILTER (WHERE verdict IN ('blocked', 'wouldBlock')), 0)::bigint AS blocked,
            max(last_time) AS last_time
        FROM atsgate.tally GROUP BY gate
    ) t ON t.gate = g.spool;

-- One row for each day that has a partition, and for each detached day that an interrupted prune did not drop. `loads`
-- is the server's own estimate, -1 if it has none yet.
CREATE VIEW atsgate.days AS
    SELECT to_date(substr(c.relname, 6), 'YYYYMMDD') AS day, i.inhrelid IS NOT NULL AS attached,
        coalesce(i.inhdetachpending, false) AS detaching, c.reltuples::bigint AS loads,
        pg_total_relation_size(c.oid) AS bytes
    FROM pg_class c
    LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
    WHERE c.relnamespace = 'atsgate'::regnamespace AND c.relkind = 'r' AND c.relname ~ '^load_[0-9]{8}$';
