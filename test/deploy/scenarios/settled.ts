import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { createMatcher } from "../../../local/aws/event-bridge/matcher.ts";
import { surveyQuestions } from "../../../local/simulator/survey-questions.ts";
import type { DeliveredEvent } from "../../support/command.ts";
import { compareWithTruth } from "../../wire/support/compare-with-truth.ts";
import { saidBy } from "../../wire/support/said-by.ts";
import { DETRACTORS_ONLY, type WebhookServer } from "../support/webhook.ts";
import { type Deployment, output, type Stage, type Subscribers } from "./stage.ts";

/** What the webhook is to have too, as a rule of one's own says it. */
export const DETRACTORS = { "detail-type": ["response.completed"], detail: DETRACTORS_ONLY };

/** The label of an answer that some responses have given. */
export function someLabel({ simulator }: Stage): string {
  for (const { records, questions } of simulator.truth()) {
    for (const { questionId, answer } of records) {
      const question = surveyQuestions(questions).find((one) => one.questionId === questionId);
      const label = question?.answers[Number((answer as number[])[0]) - 1];
      if (label !== undefined) return label;
    }
  }
  throw new Error("nobody has chosen an answer");
}

/** More than a tick does before it gives its lease back, at a service that takes its time: on a fast machine too the rest is a catch-up. */
export function addBacklog({ simulator }: Stage, surveyId: number): void {
  simulator.addSurvey({ surveyId, responses: 600 });
  simulator.fault({ kind: "latency", ms: 150, operation: ["metrics", "metadata"], surveyId });
}

/** Waits until each completed response has had its event, and starts ticks meanwhile; `within` is in milliseconds. */
export async function allArrived(
  { aws, simulator }: Stage,
  deployment: Deployment,
  { everything }: Subscribers,
  { within }: { within: number },
): Promise<void> {
  const missing = (): number => {
    const seen = new Set(everything.events.map(({ detail }) => `${detail.data.surveyId}/${detail.data.responseId}`));
    return simulator.truth().filter(({ surveyId, responseId }) => !seen.has(`${surveyId}/${responseId}`)).length;
  };
  for (const end = Date.now() + within; ; await pause(500)) {
    await everything.drain();
    if (missing() === 0) return;
    if (Date.now() > end) throw new Error(`${missing()} responses have no event after ${within / 1000} s`);
    // A tick that fails is followed by others, as on a schedule.
    await aws.invoke(output(deployment, "PollFunctionName"));
  }
}

/**
 * Each completed response has had one event, contents and all, and the filtered queue and the webhook have those that match. Repeats are the same event:
 * as many as are allowed.
 */
export async function eventsAreRight(
  { simulator, webhook }: Stage,
  { everything, detractors, labelled, label }: Subscribers,
  repeats: number,
): Promise<string> {
  const matches = createMatcher(DETRACTORS);
  const idsOf = (some: readonly DeliveredEvent[]): string[] => some.map(({ id }) => id).sort();
  const matching = (): DeliveredEvent[] => everything.events.filter((event) => matches(event));
  const withLabel = (): DeliveredEvent[] =>
    everything.events.filter(({ detail }) => detail.data.answers.some(({ labels }) => labels?.includes(label)));
  const delivered = (): string[][] => [detractors.events, labelled.events, tried(webhook)].map(idsOf);
  const due = (): string[][] => [matching(), withLabel(), matching()].map(idsOf);
  // A tick may still be at work: what it repeats reaches one subscriber before another.
  for (const end = Date.now() + 10_000; ; await pause(100)) {
    for (const queue of [everything, detractors, labelled]) await queue.drain();
    if (isDeepStrictEqual(delivered(), due()) || Date.now() > end) break;
  }
  assert.deepEqual(delivered(), due());
  const { events } = everything;
  assert.deepEqual(compareWithTruth(events, simulator.truth(), { instants: true, repeats }), []);
  const contents = new Map<string, string>();
  for (const { detail } of events) {
    const said = saidBy(detail);
    assert.equal(said, contents.get(detail.meta.eventId) ?? said, "a repeat says something else");
    contents.set(detail.meta.eventId, said);
  }
  for (const some of [matching(), withLabel()])
    assert.ok(some.length > 0 && some.length < events.length, "a filter that tells nothing apart proves nothing");
  return `${contents.size} events, ${events.length - contents.size} repeats, ${matching().length} by the filter`;
}

/** What the webhook's endpoint has taken, and what it never took when it was tried. */
function tried(webhook: WebhookServer): DeliveredEvent[] {
  const taken = webhook.taken().map(({ event }) => event);
  const known = new Set(taken.map(({ id }) => id));
  const givenUp = new Map(webhook.refused().map(({ event }) => [event.id, event]));
  return [...taken, ...[...givenUp.values()].filter(({ id }) => !known.has(id))];
}

/** The table's books agree with the truth: every completed response is entered as emitted, with its event's id. */
export async function booksAreRight({ aws, simulator }: Stage, table: string, subscribers: Subscribers): Promise<void> {
  const ids = new Map(
    subscribers.everything.events.map(({ detail }) => [
      `${detail.data.surveyId} ${detail.data.responseId}`,
      detail.meta.eventId,
    ]),
  );
  const wanted = simulator
    .truth()
    .map(({ surveyId, responseId }) => {
      return `SURVEY#main#${surveyId} RESPONSE#${responseId} ${ids.get(`${surveyId} ${responseId}`)}`;
    })
    .sort();
  const entered = async (): Promise<string[]> => {
    const items = (await aws.items(table)).filter(({ sk }) => String(sk).startsWith("RESPONSE#"));
    const emitted = items.filter(({ state }) => state === "emitted");
    return emitted.map(({ pk, sk, eventId }) => `${pk} ${sk} ${eventId}`).sort();
  };
  // What a tick has published it enters a moment later.
  for (const end = Date.now() + 10_000; (await entered()).length < wanted.length && Date.now() < end; )
    await pause(200);
  assert.deepEqual(await entered(), wanted);
}
