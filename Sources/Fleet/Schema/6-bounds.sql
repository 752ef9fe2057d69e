-- Values that a gate's login writes are summed and shown to others. These bounds ensure that sums fit into 64 bits and
-- times can be compared and subtracted, even if the password was stolen. NOT VALID: existing rows are kept, and only
-- new values are checked.
ALTER TABLE atsgate.tally
    ADD CONSTRAINT tally_loads CHECK (loads BETWEEN 0 AND 1000000000000) NOT VALID,
    ADD CONSTRAINT tally_times CHECK (isfinite(first_time) AND isfinite(last_time)) NOT VALID;
ALTER TABLE atsgate.gate
    ADD CONSTRAINT gate_numbers CHECK (shipped >= 0 AND waiting BETWEEN 0 AND 1000000000000) NOT VALID,
    ADD CONSTRAINT gate_times CHECK (isfinite(started) AND isfinite(seen)) NOT VALID;
