import { credible, MARGIN, utcString } from "../../../lib/events/build/date-string.ts";
import { before } from "../../../lib/polling/model/dates.ts";
import { selected } from "../../../lib/polling/model/source.ts";
import type { SimResponse } from "../service/survey-model.ts";
import type { World } from "../world.ts";
import type { MarkFacts } from "./books-check.ts";
import { wasOutOfReach } from "./excluded.ts";

/** Whether a response has to be emitted, must not be, or may be: where the floor lies within what dates can tell. */
export type Duty = "must" | "must-not" | "may";

/** What the oracle saw of the beginning of history. Epoch milliseconds. */
export interface Beginning {
  firstTick: number | undefined;
  /** The source's own floor. */
  sourceFloor: string | undefined;
  /** When the source's own floor, or any survey's first poll, was stored. */
  sourceStands: number | undefined;
}

const FURTHEST_BEHIND = 12 * 3_600_000;

/** By ALGORITHM §3; from the truth about the response and the floor that the poller has stored. */
export function dutyOf(world: World, response: SimResponse, facts: MarkFacts | undefined, beginning: Beginning): Duty {
  const { endedAt = Infinity, completedAt = Infinity } = response;
  const duty = dutyAt(world, response, completedAt, facts, beginning);
  if (endedAt === completedAt || duty !== "must") return duty;
  // It could not be read at first: what its date said then may have settled it.
  return dutyAt(world, response, endedAt, facts, beginning) === "must" ? "must" : "may";
}

function dutyAt(
  world: World,
  response: SimResponse,
  completedAt: number,
  facts: MarkFacts | undefined,
  beginning: Beginning,
): Duty {
  const { survey } = response;
  if (response.completedAt === undefined || !selected(survey.id, world.plan.source.surveys)) return "must-not";
  const { startFrom } = world.plan.source;
  const { firstTick = Infinity, sourceFloor, sourceStands = Infinity } = beginning;
  if (startFrom === "beginning" || cameLater(response, firstTick)) return "must";
  const floor = facts?.floor;
  const doneAt = facts?.firstPassDoneAt ?? Infinity;
  const date = latestDate(response);
  const isDate = credible(date, completedAt);
  if (completedAt > doneAt) {
    if (!isDate || floor?.at == null) return "must";
    // What a first pass has stepped over is judged by its date alone (R9): by a clock that was set back it lies before the floor.
    const isBelow = facts?.wasPartial === true ? date <= floor.at : date < before(floor.at, MARGIN);
    return isBelow ? "may" : "must";
  }
  if (startFrom !== "now") {
    const at = `${startFrom} 00:00:00`;
    if (!isDate) return "may";
    if (date >= at) return "must";
    return date < before(at, MARGIN) ? "must-not" : "may";
  }
  // Polled for the first time after the first tick, a survey is taken from there rather than lose anything.
  const { lateFloor } = facts ?? {};
  const isSince = (at = ""): boolean => isDate && date > at && date > utcString(firstTick - FURTHEST_BEHIND);
  if (lateFloor === "set" && completedAt > firstTick && isSince(sourceFloor)) return "must";
  const firstReadAt = survey.firstReadAt ?? Infinity;
  const isAbove = isDate && floor !== undefined && (floor.at === null || date > floor.at);
  const stands = Math.min(firstReadAt, sourceStands);
  // Within one millisecond the one may come before the other.
  if (completedAt === stands) return "may";
  if (completedAt > stands) return isAbove ? "must" : "may";
  if (isAbove && wasOutOfReach(world, response)) return "may";
  return lateFloor !== undefined && (!isDate || isSince()) ? "may" : "must-not";
}

/** A survey created after the source's first tick has no history from before it. */
function cameLater({ survey }: SimResponse, firstTick: number): boolean {
  return !survey.oddCreated && Math.floor(survey.createdAt / 1000) * 1000 > firstTick;
}

function latestDate(response: SimResponse): string | null {
  const dates = response.versions.at(-1)?.records.map(({ dateCompleted }) => dateCompleted) ?? [];
  return (
    dates
      .filter((date) => typeof date === "string")
      .sort()
      .at(-1) ?? null
  );
}
