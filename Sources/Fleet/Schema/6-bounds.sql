-- What a gate's login writes is added up and shown to everybody. Within these bounds sums fit into 64 bits, and times can
-- be compared and subtracted, whoever has the password. NOT VALID: what is there already stays, and only what is written
-- from now on is held to it.
ALTER TABLE atsgate.tally
    ADD CONSTRAINT tally_loads CHECK (loads BETWEEN 0 AND 1000000000000) NOT VALID,
    ADD CONSTRAINT tally_times CHECK (isfinite(first_time) AND isfinite(last_time)) NOT VALID;
ALTER TABLE atsgate.gate
    ADD CONSTRAINT gate_numbers CHECK (shipped >= 0 AND waiting BETWEEN 0 AND 1000000000000) NOT VALID,
    ADD CONSTRAINT gate_times CHECK (isfinite(started) AND isfinite(seen)) NOT VALID;
