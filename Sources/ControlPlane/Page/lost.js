// A banner for a lost connection: the gate does not answer and the data may be old.
import { live, watch } from "/api.js";
import { clock, put } from "/dom.js";

/** @param place an element whose changes screen readers announce. */
export function lostBanner(place) {
  watch(() => {
    place.hidden = !live.lostAt;
    if (!live.lostAt) return put(place, "");
    put(place, live.isOther
      ? "atsgate was restarted, and this page belongs to the earlier run. Open the address that it printed last."
      : `No answer from the gate at ${location.host} since ${clock(live.lostAt)}. The page shows the data from that time. The page tries again every two seconds. Is atsgate still running?`);
  });
}
