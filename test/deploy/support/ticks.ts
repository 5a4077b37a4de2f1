import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { createMatcher } from "../../../lib/local/aws/event-bridge/matcher.ts";
import type { DeliveredEvent } from "../../support/command.ts";
import { compareWithTruth } from "../../wire/support/compare-with-truth.ts";
import { type Deployed, output } from "./stage.ts";
import { isReplayed } from "./subscription.ts";
import { until } from "./until.ts";
import { DETRACTORS } from "./webhook.ts";

/** Starts a tick, once the scheduled one that may be at work is done, and gives what the function answers as text. */
export async function tick(on: Deployed): Promise<string> {
  let answer = "";
  // The lease of a tick that was killed is held for 15 s.
  const isOver = async (): Promise<boolean> => {
    answer = JSON.stringify(await on.aws.invoke(output(on, "PollFunctionName")));
    return !answer.includes("isBusy");
  };
  await until("another tick is at work", isOver, 40_000);
  return answer;
}

/** Starts ticks and looks, until it is so. A tick that fails is followed by others, as on a schedule. */
export function untilAfterTicks(
  on: Deployed,
  otherwise: string,
  isSo: () => boolean | Promise<boolean>,
): Promise<void> {
  const look = async (): Promise<boolean> => {
    await tick(on);
    await on.everything.drain();
    return isSo();
  };
  // Beside a scheduled invocation that works off a backlog these come to nothing.
  return until(otherwise, look, 240_000);
}

/** The events of completed responses that were heard, in that order: of one survey, or of all. */
export function completed({ everything }: Deployed, surveyId?: number): DeliveredEvent[] {
  return everything.events.filter(
    ({ "detail-type": type, detail }) =>
      type === "response.completed" && detail.data.surveyId === (surveyId ?? detail.data.surveyId),
  );
}

/** Starts ticks until each completed response has had its event. */
export function untilArrived(on: Deployed): Promise<void> {
  return untilAfterTicks(on, "completed responses have no event", () => {
    const heard = new Set(completed(on).map(({ detail }) => `${detail.data.surveyId}/${detail.data.responseId}`));
    return on.simulator.truth().every(({ surveyId, responseId }) => heard.has(`${surveyId}/${responseId}`));
  });
}

/** Has responses completed: each of them goes out once, and nothing of before once more. Gives their events. */
export async function untilNewsAlone(on: Deployed, complete: () => number[]): Promise<DeliveredEvent[]> {
  const before = completed(on).length;
  const ids = complete();
  await untilArrived(on);
  const news = completed(on).slice(before);
  assert.deepEqual(news.map(({ detail }) => detail.data.responseId).sort(), ids.sort());
  return news;
}

/**
 * Starts ticks until all have arrived. Each completed response has had one event, contents and all, those that match have gone to the filtered queue
 * and the webhook as well, and the table has the id of each.
 */
export async function allIsRight(on: Deployed): Promise<string> {
  const { simulator, webhook, detractors, aws } = on;
  await untilArrived(on);
  const events = completed(on);
  assert.deepEqual(compareWithTruth(events, simulator.truth(), { instants: true }), []);

  const isMatch = createMatcher({ detail: DETRACTORS });
  const idsOf = (some: readonly DeliveredEvent[]): string[] => some.map(({ id }) => id).sort();
  const due = idsOf(events.filter((event) => isMatch(event)));
  assert.ok(due.length > 0 && due.length < events.length, "a filter that tells nothing apart proves nothing");
  const taken = () => webhook.taken().flatMap(({ event }) => (isReplayed(event) ? [] : [event]));
  await until("not each detractor has come, to the queue and to the webhook", async () => {
    await detractors.drain();
    return [detractors.events, taken()].every((some) => isDeepStrictEqual(idsOf(some), due));
  });

  const wanted = events
    .map(({ detail: { meta, data } }) => `SURVEY#main#${data.surveyId} RESPONSE#${data.responseId} ${meta.eventId}`)
    .sort();
  // What a tick has published it enters a moment later.
  await until("the table does not have each event", async () => {
    const entered = (await aws.items(output(on, "TableName"))).filter(({ state }) => state === "emitted");
    return isDeepStrictEqual(entered.map(({ pk, sk, eventId }) => `${pk} ${sk} ${eventId}`).sort(), wanted);
  });
  return `${events.length} events, ${due.length} by the filter`;
}
