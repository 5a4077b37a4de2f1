import { selected } from "../../../lib/polling/index.ts";
import type { Store } from "../../support/state-store.ts";
import { pagesOf } from "../plan/plan.ts";
import { isListed, type SimResponse, type SimSurvey } from "../service/survey-model.ts";
import type { World } from "../world.ts";
import { isSingleUsable } from "./lateness.ts";

/** Requests that a history may need for each response and tick, by a wide margin: what is beyond is a storm. */
const FOR_EACH_RESPONSE = 60;
const FOR_EACH_TICK = 40;
/** Ticks in which what has happened is dealt with; from then on only the background budget is spent. */
const SETTLING = 12;
/** What the budget may be overdrawn by, and a last response that waits. */
const SLACK = 80;
const HOUR = 3_600_000;

/** Requests to the service, by tick. */
export function createRequestLog(world: World, { account }: Pick<Store, "account">) {
  let total = 0;
  let ticks = 0;
  let idleTicks = 0;
  let idle = 0;
  const { plan } = world;
  const isBehind = (): boolean => [...account.rows.values()].some((row) => row.isBehind === true);
  const isIdle = (): boolean =>
    world.scheduler.now() > world.livenessFrom + SETTLING * plan.source.interval && !isBehind();

  return {
    note(operation: string): void {
      total += 1;
      // What waits for its metrics or metadata is asked for on its own account.
      if (isIdle() && operation !== "metrics" && operation !== "metadata") idle += 1;
    },
    tickBegan(): void {
      ticks += 1;
      if (isIdle()) idleTicks += 1;
    },
    total: () => total,
    atEnd(): void {
      const most = FOR_EACH_RESPONSE * world.responses.size + FOR_EACH_TICK * ticks;
      if (total > most) world.violate("requests", `${total} requests, more than ${most}`);
      if (!plan.calm || !countsAreTrue(world)) return;
      const eachTick = 2 + plan.source.backgroundRequests;
      // What a count has shown is searched for as news, and again an hour later at the soonest: a list that has lost it is read to its end.
      const pages = plan.surveys.reduce((sum, survey) => sum + pagesOf(survey) + 2, 0);
      const searches = Math.ceil((idleTicks * plan.source.interval) / HOUR) * pages;
      // Operation 9 is asked about each response that two passes have missed, before subscribers are told.
      const removed = [...world.responses.values()].filter(({ removedAt }) => removedAt !== undefined).length;
      // And about each that went out before records were known to be scattered, by two full reads.
      const compared = world.scatteredAt < Infinity ? 2 * world.responses.size : 0;
      const budget = Math.ceil(idleTicks * eachTick) + searches + removed + compared + SLACK;
      if (idle > budget) world.violate("idle", `${idle} requests in ${idleTicks} idle ticks, more than ${budget}`);
    },
  };
}

/** Only where the counts tell the truth nothing needs to be looked at that has no news. */
function countsAreTrue({ plan }: World): boolean {
  return plan.surveys.every(({ traits, flips }) => traits.counts === "right" && flips.length === 0);
}

/** Open responses of a survey of which at least one is asked about. */
const ENOUGH = 3;

/** Open responses are asked about while they are young: no other scan may make up for that unseen. */
export function createRecheckLog(world: World) {
  const asked = new Set<number>();
  const { plan, scheduler } = world;
  const { rescan, surveys } = plan.source;

  /** Whether it was seen open when it was young, and has been open for long since. */
  const isDue = (response: SimResponse): boolean => {
    const { endedAt, odd, readOpenAt, startedAt } = response;
    return (
      endedAt === undefined &&
      odd === undefined &&
      isListed(response) &&
      readOpenAt !== undefined &&
      readOpenAt - startedAt < rescan.full / 4 &&
      scheduler.now() - readOpenAt > rescan.full
    );
  };

  return {
    /** Operation 9 is asked about one. */
    asked: (responseId: number) => void asked.add(responseId),
    /** `isTrusted` tells whether operation 9 has had the time to equal a response of the survey. */
    atEnd(isTrusted: (survey: SimSurvey) => boolean): void {
      if (!plan.calm || plan.tight || world.overran) return;
      for (const survey of world.surveys.values()) {
        if (!selected(survey.id, surveys) || survey.gone || survey.plan.flips.length > 0 || !isSingleUsable(survey))
          continue;
        if (survey.traits.layout !== "contiguous" || !isTrusted(survey)) continue;
        const due = survey.responses.filter(isDue);
        if (due.length < ENOUGH || due.some(({ id }) => asked.has(id))) continue;
        world.violate(
          "unchecked",
          `survey ${survey.id}: none of ${due.length} open responses was ever looked at again`,
        );
      }
    },
  };
}
