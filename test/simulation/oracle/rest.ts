import { credible } from "../../../lib/events/build/date-string.ts";
import {
  isHistory,
  type LedgerEntry,
  openTo,
  placeOf,
  type Start,
  type SurveyState,
  selected,
} from "../../../lib/polling/index.ts";
import type { Store } from "../../support/state-store.ts";
import { START } from "../plan/plan.ts";
import { BEHIND, listedOf, type SimResponse, type SimSurvey } from "../service/survey-model.ts";
import type { World } from "../world.ts";
import type { MarkFacts } from "./books-check.ts";
import { type Deliveries, isUpToDate } from "./deliveries.ts";
import { hasEquals, hidesItsEnd, isRightlyHeld, leewayOf, mayLieApart } from "./excluded.ts";

/** What has not come to rest, under the promise that this breaks. */
interface Unfinished {
  rule: string;
  told: string;
}

/** A promise, and what of a survey breaks it that is to be at rest; undefined when nothing does. */
type AtRest = readonly [rule: string, wrong: (survey: SimSurvey, state: SurveyState | undefined) => string | undefined];

/**
 * What the liveness phase is for: nothing lost, nothing waiting, nothing left under way, and books that are closed and right. Gives what has not
 * come to rest yet; undefined when everything has, and is proved.
 */
export function createRestCheck(
  world: World,
  store: Pick<Store, "marks" | "entries" | "read">,
  { deliveries, dutyNow }: { deliveries: Deliveries; dutyNow(response: SimResponse): Duty },
  atRest: readonly AtRest[],
) {
  /** Whether a response waits for details that fail for ever, and its survey knows of none that could tell this from an outage: it waits for a day. */
  const isPatient = (response: SimResponse | undefined): boolean => {
    if (response === undefined) return false;
    const isFailing = ({ metrics, metadata }: SimResponse): boolean =>
      [metrics, metadata].some(({ failsUntil }) => failsUntil === Infinity);
    const { responseId = -1 } = store.marks.get(response.survey.id)?.mark.highWater ?? {};
    const asked = world.responses.get(responseId);
    return isFailing(response) && (asked === undefined || isFailing(asked));
  };

  const missing = (response: SimResponse): Unfinished | undefined => {
    const version = response.versions.at(-1);
    if (version?.state !== "completed" || deliveries.refused(response.id)) return undefined;
    const name = `${response.survey.id}/${response.id}`;
    // Of an event id that comes twice the latest contents are kept (docs/events.md).
    const all = deliveries.of(response.id);
    const newest = Math.max(...all.map(({ revision }) => revision));
    const sent = all.findLast(({ revision }) => revision === newest);
    if (sent === undefined) {
      if (dutyNow(response) !== "must" || isRightlyHeld(world, store, response)) return undefined;
      if (isPatient(response)) return undefined;
      return { rule: "lost", told: `${name}, complete since ${sinceStart(response)} s, was never emitted` };
    }
    const count = version.records.length;
    const leeway = leewayOf(world, response);
    const { digest } = store.read(response.survey.id, [response.id]).get(response.id) ?? {};
    // Of what operation 9 alone has given nobody knows how pages list it.
    const isCompared =
      digest !== undefined &&
      !leeway.stays &&
      !leeway.part &&
      !mayLieApart(world, response) &&
      // Of one whose equal records stand on both sides of an edge no page proves a change.
      !hasEquals(response);
    if (isCompared && !isUpToDate(response, sent.said, world.plan.source.privacy.comments === "drop"))
      return { rule: "update", told: `${name} has changed, and nobody was told` };
    // Records that equal others of it on the other side of an edge are told from these by no page (R6).
    const hasGrownByEquals = hasEquals(response) && sent.said.records >= count - response.grown;
    if (sent.said.records >= count || leeway.stays || hasGrownByEquals) return undefined;
    return { rule: "short", told: `${name} was emitted with ${sent.said.records} of ${count} records` };
  };

  const unfinishedOf = (survey: SimSurvey): Unfinished | undefined => {
    const name = `survey ${survey.id}`;
    const { mark } = store.marks.get(survey.id) ?? {};
    const waiting = waitingOf(store.entries(survey.id), (id) => isPatient(world.responses.get(id)));
    if (waiting !== undefined) return { rule: "liveness: waiting", told: `${name}: ${waiting} is still waiting` };
    const left = leftIn(mark, survey);
    if (left !== undefined) return { rule: "liveness: left", told: `${name}: ${left}` };
    if (survey.responses.some(isPatient)) return undefined;
    return first([...atRest], ([rule, wrong]) => {
      const problem = wrong(survey, mark);
      return problem === undefined ? undefined : { rule, told: `${name}: ${problem}` };
    });
  };

  return (): Unfinished | undefined => {
    const surveys = [...world.surveys.values()].filter(({ id }) => selected(id, world.plan.source.surveys));
    // What is lost says more than the books that miss it.
    return (
      first([...world.surveys.values()], (survey) => first(listedOf(survey), missing)) ?? first(surveys, unfinishedOf)
    );
  };
}

function first<T>(all: T[], find: (one: T) => Unfinished | undefined): Unfinished | undefined {
  for (const one of all) {
    const found = find(one);
    if (found !== undefined) return found;
  }
  return undefined;
}

function waitingOf(
  entries: Map<LedgerEntry["id"], LedgerEntry>,
  isPatient: (id: number) => boolean,
): LedgerEntry["id"] | undefined {
  return entries.values().find(({ state, id }) => state === "waiting" && !isPatient(Number(id)))?.id;
}

/** What a mark says to be under way. */
function leftIn(mark: SurveyState | undefined, survey: SimSurvey): string | undefined {
  if ((mark?.pending ?? []).length > 0) return "what went out is in no ledger";
  if (mark === undefined) return undefined;
  // Where nothing shows the end of the list it goes on for ever.
  if (hidesItsEnd(survey)) return undefined;
  if (placeOf(mark) !== undefined) return "a backlog is under way";
  return openTo(mark) !== undefined ? "the head was not read to where it is settled" : undefined;
}

function sinceStart({ completedAt = 0 }: SimResponse): string {
  return ((completedAt - START) / 1000).toFixed(0);
}

/** Whether a response has to be emitted, must not be, or may be: where it may have been met open, or by books that know nothing of it. */
export type Duty = "must" | "must-not" | "may";

/** By R15; from the truth about the response, the start that the poller has stored, and the first books of the survey. */
export function dutyOf(
  world: World,
  response: SimResponse,
  facts: MarkFacts | undefined,
  start: Start | undefined,
): Duty {
  const { endedAt = Infinity, completedAt = Infinity } = response;
  if (endedAt === completedAt) return dutyAt(world, response, completedAt, facts, start);
  // It could not be read at first, and its date decides, whatever books there have been: what that said then may have settled it.
  const duty = dutyAt(world, response, completedAt, undefined, start);
  if (duty !== "must") return duty;
  return dutyAt(world, response, endedAt, facts, start) === "must" ? "must" : "may";
}

function dutyAt(
  world: World,
  response: SimResponse,
  completedAt: number,
  facts: MarkFacts | undefined,
  start: Start | undefined,
): Duty {
  const { survey } = response;
  if (response.completedAt === undefined || !selected(survey.id, world.plan.source.surveys)) return "must-not";
  // Nothing goes out before the start stands.
  if (start === undefined) return "must-not";
  if (start.at === null || completedAt > (facts?.firstBooks?.closedAt ?? Infinity)) return "must";
  const date = dateOf(response, completedAt);
  if (date !== undefined && !isHistory(date, start)) return "must";
  const { copy, firstReadAt = Infinity } = survey;
  // A copy that is behind shows as open for a while what has completed.
  const shownBefore = copy === undefined ? firstReadAt : firstReadAt - BEHIND;
  // It may list once more what was deleted before the first books.
  const mayComeBack = copy !== undefined && response.removedAt !== undefined;
  const mayHaveSlipped = mayComeBack || facts?.firstBooks?.mayHaveSlipped === true;
  return completedAt <= shownBefore && !mayHaveSlipped ? "must-not" : "may";
}

/** The date by which it is judged: that of its completion, else that of its beginning. */
function dateOf(response: SimResponse, completedAt: number): string | undefined {
  const started = response.versions.at(-1)?.records[0]?.dateStart;
  const dates = [latestDate(response), typeof started === "string" ? started : null];
  return dates.find((date) => credible(date, completedAt)) ?? undefined;
}

/** The largest date of completion that its records have. */
export function latestDate({ versions }: SimResponse): string | null {
  const dates = versions.at(-1)?.records.map(({ dateCompleted }) => dateCompleted) ?? [];
  const texts = dates.filter((date) => typeof date === "string");
  return texts.sort().at(-1) ?? null;
}
