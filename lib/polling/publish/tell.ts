import { hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { buildSurveyChanged, buildSurveyCounted } from "../../events/build/build-told.ts";
import type { SurveyCounts } from "../../events/build/survey.ts";
import type { SurveyFacts } from "../../events/index.ts";
import { notTaken, type PublishFailedError, refusedForGood } from "../errors.ts";
import type { CountsMark, Listed, OutgoingEvent, SurveyEvent } from "../model/survey-state.ts";
import type { Survey } from "../survey.ts";
import { observeSent, publishBatch } from "./bus.ts";

/** The facts that an event without contents has: where and when it was made. */
export function factsOf({ id, state, source, ports }: Survey) {
  return {
    sourceName: source.name,
    surveyId: id,
    survey: state.survey?.facts,
    /** Epoch milliseconds. */
    detectedAt: ports.clock.now(),
  };
}

/**
 * Publishes events that have no contents of a response by one request to the bus, 10 at most. Gives those that are dealt with, and the failure of the others: they are to be
 * told again. One that the bus has refused for good is dealt with, and is the failure of this poll.
 */
export async function tell(
  survey: Survey,
  events: readonly OutgoingEvent[],
): Promise<{ done: OutgoingEvent[]; failure?: PublishFailedError }> {
  const ready = await Promise.all(
    events.map(async (event) => ({ event, sealed: await survey.ports.publisher.seal(event) })),
  );
  const { answers, bus } = await publishBatch(survey, ready);
  observeSent(survey, answers, { bus });
  const done: OutgoingEvent[] = [];
  let failure: PublishFailedError | undefined;
  for (const { ready, outcome } of answers) {
    if (outcome.kind === "failed") failure ??= notTaken(outcome.code);
    else done.push(ready.event);
    if (outcome.kind === "refused") survey.leave(refusedForGood(ready.event.type, outcome.code));
  }
  return failure === undefined ? { done } : { done, failure };
}

/**
 * Tells subscribers of an event with a sequence number, once the one before it is told. The state holds what a number says before the bus gets it (R19). So the next
 * poll tells an event that the bus did not take, unchanged. `make` gives nothing where there is nothing new.
 */
export async function tellNext(
  survey: Survey,
  make: () => Next | undefined | Promise<Next | undefined>,
): Promise<void> {
  await tellUntold(survey);
  const next = await make();
  if (next === undefined) return;
  survey.note({ kind: "outbox", ...next });
  await tellUntold(survey);
}

/** An event with a sequence number; `books`: what that says of them, of an event that tells of books. */
type Next = Omit<Extract<SurveyEvent, { kind: "outbox" }>, "kind">;

async function tellUntold(survey: Survey): Promise<void> {
  const { untold } = survey.state;
  if (untold === undefined) return;
  // fault: books-number-not-fixed
  await survey.save();
  // fault: books-told-once
  const { failure } = await tell(survey, [untold]);
  if (failure !== undefined) throw failure;
  survey.note({ kind: "told" });
}

// R20: what subscribers are told of a survey itself.

/**
 * Tells subscribers that the survey list shows a survey otherwise than they know it, once two lists have said the same. `isLater`: it was made after the first tick
 * of its source.
 */
export async function tellSurvey(survey: Survey, listed: Listed, isLater: boolean): Promise<void> {
  if (!survey.source.events.has("survey.changed")) return;
  await tellNext(survey, () => changeOf(survey, listed, isLater));
}

/**
 * The change to be told now. A survey that was there before anybody asked for its changes is known as it is. One that was shown otherwise is looked at by the next tick,
 * whatever the list shows by then.
 *
 * Example: a list of 10:00 has another name, and so has that of 10:01. The change is told at 10:01. Had the old name been back at 10:01, nothing
 * would be told.
 */
function changeOf(survey: Survey, listed: Listed, isLater: boolean): Next | undefined {
  const { state } = survey;
  const isCreated = state.phase.kind === "new" && isLater;
  const known = state.known ?? { sequence: 0, facts: isCreated ? null : listed.facts };
  const { sequence, facts: before, sight } = known;
  const { facts: after, at } = listed;
  const isSame = isDeepStrictEqual(before, after);
  if (isSame || sight === undefined || sight.at === at || !isDeepStrictEqual(sight.facts, after)) {
    survey.note({ kind: "known", known: { sequence, facts: before, ...(isSame ? {} : { sight: listed }) } });
    return undefined;
  }
  survey.note({ kind: "known", known: { sequence: sequence + 1, facts: after } });
  // fault: survey-change-untold
  const facts = factsOf(survey);
  const detail = buildSurveyChanged({ ...facts, sequence: sequence + 1, before, after });
  return { event: { type: "survey.changed", detail, time: facts.detectedAt } };
}

/** A survey in a list as one whole number, by which a tick tells whether it is shown otherwise. 0: the list does not name it. */
export function shownAs(facts: SurveyFacts | null): number {
  if (facts === null) return 0;
  const { name, modified, languageId } = facts;
  return 1 + asNumber([name, modified, languageId]);
}

/** Milliseconds from an event of a survey's counts to the next. */
const COUNTS_EVERY = 3_600_000;

/** Tells subscribers what the survey list counts of a survey, once that has changed, and once an hour at most. */
export async function tellCounts(survey: Survey, counts: SurveyCounts, asOf: number): Promise<void> {
  if (!survey.source.events.has("survey.counted")) return;
  await tellNext(survey, () => {
    const { counted } = survey.state;
    if (!areNews(counts, counted, asOf)) return undefined;
    const sequence = (counted?.sequence ?? 0) + 1;
    survey.note({ kind: "counted", counted: { sequence, shown: countsAs(counts), at: asOf } });
    // fault: counts-untold
    const facts = factsOf(survey);
    const detail = buildSurveyCounted({ ...facts, sequence, counts, asOf });
    return { event: { type: "survey.counted", detail, time: facts.detectedAt } };
  });
}

/** Whether subscribers are to be told of counts by now (epoch milliseconds). Counts that nobody can read are no news. */
export function areNews(counts: SurveyCounts, told: CountsMark | undefined, now: number): boolean {
  if (Object.values(counts).every((count) => count === null)) return false;
  // fault: counts-at-once
  return told === undefined || (now >= told.at + COUNTS_EVERY && told.shown !== countsAs(counts));
}

const countsAs = ({ impressions, opened, responses }: SurveyCounts): number =>
  asNumber([impressions, opened, responses]);

const asNumber = (values: unknown[]): number => Number.parseInt(hash("sha1", JSON.stringify(values)).slice(0, 8), 16);
