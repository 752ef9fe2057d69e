// Says where people look that the gate is gone, and that what is shown may be old.
import { live, watch } from "/api.js";
import { clock, put } from "/dom.js";

/** @param place an element that is read out when its text changes. */
export function lostBanner(place) {
  watch(() => {
    place.hidden = !live.lostAt;
    if (!live.lostAt) return put(place, "");
    put(place, live.isOther
      ? "atsgate was started anew, and this page is of the start before: open the address that it printed last."
      : `No answer from the gate at ${location.host} since ${clock(live.lostAt)}: what is shown is as it was then. The page tries again every two seconds; is atsgate still running?`);
  });
}
