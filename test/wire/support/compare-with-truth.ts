import { isDeepStrictEqual } from "node:util";
import { eventId, responseCompleted } from "../../../lib/events/index.ts";
import type { TruthResponse } from "../../../lib/local/simulator/index.ts";
import type { DeliveredEvent } from "../../support/command.ts";
import { expectedDetail } from "./expected-detail.ts";

export interface Comparison {
  /** Name of the source; default "main". */
  source?: string;
  /** Whether a time zone was configured, so that dates have their instant. Default false: none may be there. */
  instants?: boolean;
  /** Events over one for each response that are allowed; default 0. */
  repeats?: number;
  /** What the claim-check objects hold, by event id. */
  claimed?: ReadonlyMap<string, unknown[]>;
}

/** Enough to see what is wrong. */
const MOST_PROBLEMS = 10;

/**
 * Everything in which the events differ from the truth: every response exactly once, nothing else, contents equal.
 *
 * @example
 * expect(compareWithTruth(result.events, simulator.truth())).toEqual([]);
 */
export function compareWithTruth(
  events: readonly DeliveredEvent[],
  truth: readonly TruthResponse[],
  options: Comparison = {},
): string[] {
  const problems: string[] = [];
  const truths = new Map(truth.map((one) => [keyOf(one), one]));
  const seen = new Map<string, number>();
  for (const event of events) {
    const key = keyOf(event.detail.data);
    const one = truths.get(key);
    seen.set(key, (seen.get(key) ?? 0) + 1);
    if (one === undefined) problems.push(`${key}: an event for what is no completed response, or is not to go out`);
    else problems.push(...compareEvent(event, one, options).map((problem) => `${key}: ${problem}`));
  }
  for (const key of truths.keys()) if (!seen.has(key)) problems.push(`${key}: no event`);
  const repeats = events.length - seen.size;
  if (repeats > (options.repeats ?? 0)) problems.push(`${repeats} repeats, ${options.repeats ?? 0} allowed`);
  if (problems.length <= MOST_PROBLEMS) return problems;
  return [...problems.slice(0, MOST_PROBLEMS), `and ${problems.length - MOST_PROBLEMS} more`];
}

function compareEvent(event: DeliveredEvent, truth: TruthResponse, options: Comparison): string[] {
  const parsed = responseCompleted.safeParse(event.detail);
  if (!parsed.success) return [`not as the contract says: ${parsed.error.message}`];
  const problems: string[] = [];
  const same = (what: string, got: unknown, wanted: unknown): void => {
    if (!isDeepStrictEqual(got, wanted)) problems.push(`${what} is ${short(got)}, not ${short(wanted)}`);
  };
  const { meta, data } = event.detail;
  const { response } = data;
  const expected = expectedDetail(truth, options);
  const source = options.source ?? "main";

  same("detail-type", event["detail-type"], "response.completed");
  same("source", event.source, "survey-poller");
  same("eventId", meta.eventId, eventId(source, truth.surveyId, truth.responseId));
  same("sourceName", meta.sourceName, source);
  same("revision", meta.revision, 1);
  same("time", event.time, `${meta.detectedAt.slice(0, 19)}Z`);
  same("missing", meta.missing, expected.missing);
  same("complete", meta.complete, expected.missing.length === 0);
  same("irregular", meta.irregular, expected.irregular);

  same("survey", data.survey, truth.survey);
  same("summary", data.summary, expected.summary);
  same("country", response.country, expected.country);
  same("crk", response.crk, expected.crk);
  same("promoCode", response.promoCode, expected.promoCode);
  same("hasComment", response.hasComment, expected.hasComment);
  same("answerCount", response.answerCount, expected.answerCount);
  same("raw", response.raw ?? {}, expected.raw);
  same("started", response.started, moment(expected.startedLocal, truth.startedAt, options));
  same("completed", response.completed, moment(expected.completedLocal, truth.completedAt, options));

  same("metrics", data.metrics, expected.metrics);
  same("metadata", data.metadata, expected.metadata);
  const claimed = options.claimed?.get(meta.eventId);
  same("answersRef", data.answersRef === null, claimed === undefined);
  if (claimed !== undefined) same("answers beside the claim check", data.answers, []);
  // Undocumented fields may read differently each time.
  const answers = (claimed ?? data.answers).map((answer) => ({ ...(answer as object), extra: undefined }));
  same("answers", asMultiset(answers), asMultiset(expected.answers));
  return problems;
}

/** The service gives whole seconds. */
function moment(local: string | null, instant: number, { instants = false }: Comparison): unknown {
  if (!instants || local === null) return { local };
  return { local, at: `${new Date(instant).toISOString().slice(0, 19)}Z` };
}

/** Equal records are kept: only the order of the answers is free. */
function asMultiset(answers: readonly unknown[]): string[] {
  return answers.map(canonical).sort();
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

const keyOf = ({ surveyId, responseId }: { surveyId: number; responseId: number }): string =>
  `response ${surveyId}/${responseId}`;

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? "undefined";
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
