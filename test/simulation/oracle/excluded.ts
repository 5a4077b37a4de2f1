import { PAGE_SIZE, POLLS, selected } from "../../../lib/polling/index.ts";
import type { Store } from "../../support/state-store.ts";
import { START } from "../plan/plan.ts";
import { listedRecords, PAGE, type SimResponse, type SimSurvey, type Traits } from "../service/survey-model.ts";
import type { World } from "../world.ts";

// What the poller does not answer for, and what may come of it. Whatever is not in here, the oracle holds it to.

/** What comes of a response whose contents nothing proves; anything else that goes out wrong is a fault of the poller. */
interface Leeway {
  /** It may be held for good in the place of being emitted. */
  held: boolean;
  /** Its first event may have only some of its answers. */
  part: boolean;
  /** Its event may stay short of what it has now. */
  stays: boolean;
}

const exclusions = {
  // As long as nothing has shown that records are scattered, a part is taken for a whole.
  "records scattered unseen": { held: true, part: true, stays: true },
  "records scattered, the single read tells nothing": { held: true, part: false, stays: true },
  // Where contents come from the single read, no page shows that there is more of a response by now.
  "contents by the single read": { held: false, part: false, stays: true },
  // A page that is not full is the last one until it is contradicted (A6): where what follows it fails, nothing contradicts that.
  "goes on behind a short page": { held: false, part: true, stays: false },
  // Two faults of the service together: nothing tells a part from the whole.
  "records scattered, the single read tells some of them": { held: true, part: true, stays: true },
  // They look like a page that shows again what the one before it has ended with.
  "equal records across an edge, operation 9 tells nothing": { held: true, part: false, stays: true },
  // A page of a copy that is behind may lack what the page before it, of another copy, has left to it.
  "a copy of the list is behind": { held: true, part: true, stays: false },
  // Such a list may look scattered.
  "a copy of the list is behind, contents by the single read": { held: true, part: true, stays: true },
  // The page beside it reads the same twice, and was another one in between.
  "gone within the reading of a page": { held: false, part: true, stays: true },
} satisfies Record<string, Leeway>;

type Exclusion = keyof typeof exclusions;

/** Milliseconds for which events may be under way that were made before a page showed more. */
const UNDER_WAY = 60_000;
/** Milliseconds in which a page is read twice, at most. */
const READ_TWICE = 2_000;

const nothing: Leeway = { held: false, part: false, stays: false };

/** Why the poller does not answer for a response; undefined when it does. Pages that fail for ever would be one more reason: none do. */
export function isExcluded(world: World, response: SimResponse): Exclusion | undefined {
  const { traits } = response.survey.plan;
  // What waits for its details keeps what was read of it before.
  const readAt = response.askedAt ?? world.scheduler.now();
  if (traits.layout !== "contiguous" && readAt < world.scatteredAt + UNDER_WAY) return "records scattered unseen";
  if (mayLieApart(world, response)) {
    if (traits.replicas) return "a copy of the list is behind, contents by the single read";
    if (traits.single === "fewer") return "records scattered, the single read tells some of them";
    return isUntold(response) ? "records scattered, the single read tells nothing" : "contents by the single read";
  }
  if (traits.twins && (isUntold(response) || isDistrusted(world) || isUncompared(world)))
    return "equal records across an edge, operation 9 tells nothing";
  if (traits.replicas) return "a copy of the list is behind";
  const { listedFrom = Infinity, removedAt = Infinity } = response;
  if (removedAt < listedFrom + READ_TWICE) return "gone within the reading of a page";
  return traits.shortPages && response.answers > PAGE_SIZE ? "goes on behind a short page" : undefined;
}

/** Whether contents come from the single read, or may: no page tells then whether a response has changed. */
export function mayLieApart({ scatteredAt }: World, { survey }: SimResponse): boolean {
  return survey.traits.layout !== "contiguous" || scatteredAt < Infinity;
}

/** Whether any of its records equal each other, by the answer alone: on two sides of an edge nothing tells them from one that is shown twice. */
export function hasEquals({ versions }: SimResponse): boolean {
  const records = versions.at(-1)?.records ?? [];
  const said = records.map(({ questionId, answer, score, comment }) =>
    JSON.stringify([questionId, answer, score, comment === ""]),
  );
  return new Set(said).size < said.length;
}

/** What may come of a response. */
export function leewayOf(world: World, response: SimResponse): Leeway {
  const reason = isExcluded(world, response);
  return reason === undefined ? nothing : exclusions[reason];
}

/** Whether the poller holds a response that it need not answer for. One that is left to the next poll again and again is not held. */
export function isRightlyHeld(world: World, { read }: Pick<Store, "read">, response: SimResponse): boolean {
  const { id, survey } = response;
  const { state, attempts = 0 } = read(survey.id, [id]).get(id) ?? {};
  return state === "held" && attempts >= POLLS && leewayOf(world, response).held;
}

/** Whether the sort key of a survey changes between two moments (epoch milliseconds): what books say of that time may be wrong, until the next ones. */
export function isSortedAnew({ plan }: SimSurvey, from: number, to: number): boolean {
  return plan.flips.some(({ at, change }) => change.sortKey !== undefined && START + at >= from && START + at <= to);
}

/** Operation 9 is asked no more for a day once it said nothing three times. */
const MOST_SILENT = 3;

export function isSilent({ responses }: SimSurvey): boolean {
  return responses.filter(isLateOrNever).length >= MOST_SILENT;
}

function isLateOrNever({ single }: SimResponse): boolean {
  return single.presentFrom > -Infinity || single.failsUntil > -Infinity;
}

/** What operation 9 is like where it tells a response as a whole, and nothing that the list has not. */
const telling: readonly Traits["single"][] = ["right", "bare", "not-open", "more"];

/** Whether operation 9 cannot show what a response holds. */
function isUntold(response: SimResponse): boolean {
  if (!telling.includes(response.survey.plan.traits.single)) return true;
  return isLateOrNever(response) || isSilent(response.survey);
}

/** Whether one survey may have shown that pages and the single read of the source differ. */
export function isDistrusted({ surveys }: World): boolean {
  return [...surveys.values()].some(({ plan: { traits } }) => !telling.includes(traits.single));
}

/** Responses inside a page that the single read may have to be compared with, before it is trusted. */
const MOST_COMPARED = 6;

/** Whether too few responses stand inside a page to compare the single read with. */
function isUncompared({ responses, plan }: World): boolean {
  const inside = [...responses.values()].filter(({ answers, completedAt, survey }) => {
    const isPolled = selected(survey.id, plan.source.surveys);
    return isPolled && completedAt !== undefined && answers > 1 && answers < PAGE / 2;
  });
  return inside.length < MOST_COMPARED;
}

/** Whether pages fail behind a last page that is full: nothing shows the end of such a list (docs/internals/api-gaps.md). */
export function hidesItsEnd(survey: SimSurvey): boolean {
  const { pastEnd, shortPages } = survey.traits;
  if (pastEnd !== "fault" || shortPages) return false;
  const { length } = listedRecords(survey);
  return length > 0 && length % PAGE === 0;
}

/**
 * Whether a poll may have failed as the service fails behind the end of a list, of this survey or of any. Three polls do, in either order, whenever that end has moved.
 * That they come to an end all the same is held by the books.
 */
export function failsBehindEnd({ surveys }: World, surveyId: number | undefined): boolean {
  const some = surveyId === undefined ? [...surveys.values()] : [surveys.get(surveyId)];
  return some.some((survey) => survey?.traits.pastEnd === "fault");
}
