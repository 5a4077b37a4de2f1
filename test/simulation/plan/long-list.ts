import type { PollingSource } from "../../../lib/polling/index.ts";
import type { Random } from "../engine/random.ts";
import type { Chooser } from "./chooser.ts";
import type { ResponsePlan } from "./surveys.ts";

// A survey whose list is long for its pages, and moves while it is caught up in many turns: several pages are on their way then.

/** Records of the list at the beginning. */
export const LONG_LIST = 1_600;
/** Intervals at the beginning in which much of it changes. */
const RESTLESS_FOR = 5;

/** Changes the source so that the list is caught up. Gives undefined where no list is long. */
export function planLongList(chooser: Chooser, source: PollingSource) {
  const { random } = chooser;
  const startFrom = random.pick(["beginning", "beginning", source.startFrom]);
  const restless = random.pick([0.1, 0.2, 0.6]);
  /** Milliseconds that a slice has at most. */
  const turnTime = random.pick([Infinity, 300, 1_000, 3_000]);
  if (!chooser.flag("long-list", 0.1)) return undefined;
  source.startFrom = startFrom;
  return { restless, turnTime };
}

/** Some of what was there at the beginning is deleted while it is read, much completes only then, in the midst of it by most keys. */
export function unsettle<T extends Omit<ResponsePlan, "id">>(response: T, random: Random, interval: number): T {
  const when = random.next() * RESTLESS_FOR * interval;
  const chance = random.next();
  if (chance < 0.1) return { ...response, deletedAfter: when };
  return chance < 0.6 && response.completesAt !== undefined && response.completesAt < when
    ? { ...response, completesAt: when }
    : response;
}

/** The oldest of a list, up to half of it, are deleted at one moment, as somebody tidies up: all that stands behind them moves by pages. */
export function clearOldest(responses: Omit<ResponsePlan, "id">[], random: Random, interval: number): void {
  const when = random.next() * RESTLESS_FOR * interval;
  const share = 0.1 + 0.4 * random.next();
  for (const response of responses.slice(0, Math.floor(share * responses.length))) {
    if (response.completesAt === undefined || response.completesAt > when) continue;
    response.deletedAfter = when - Math.max(0, response.completesAt);
  }
}
