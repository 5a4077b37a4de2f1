import { type LedgerEntry, openTo, placeOf, type SurveyState, selected } from "../../../lib/polling/index.ts";
import type { Store } from "../../support/state-store.ts";
import { START } from "../plan/plan.ts";
import { listedOf, type SimResponse, type SimSurvey } from "../service/survey-model.ts";
import type { World } from "../world.ts";
import type { Deliveries } from "./deliveries.ts";
import type { Duty } from "./duty.ts";
import { hidesItsEnd, isRightlyHeld, leewayOf, mayLieApart } from "./excluded.ts";
import { isUpToDate } from "./updates.ts";

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
      !response.survey.traits.twins;
    if (isCompared && !isUpToDate(response, sent.said, world.plan.source.privacy.comments === "drop"))
      return { rule: "update", told: `${name} has changed, and nobody was told` };
    if (sent.said.records >= count || leeway.stays) return undefined;
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
