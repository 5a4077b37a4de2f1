import type { EmittedResponse } from "../../../lib/polling/index.ts";
import { type IdSet, olderEventIds } from "../../event-ids.ts";
import type { SurveyOf } from "../../target/responses.ts";
import { includes, type Stretch } from "../../verb.ts";
import { count, utc } from "../../words.ts";
import type { ResentItem } from "../resend/send-again.ts";

// Times are epoch milliseconds.

export interface MissingEvent {
  source: string;
  surveyId: number;
  responseId: number;
  /** The last event of the response. */
  eventId: string;
  revision: number | null;
  /** When the bus took it. */
  emittedAt: number;
  /** On its way: emitted so shortly before the list was taken that it may have come since. */
  cause: "never-arrived" | "dead-letter-queue" | "older-revision" | "on-its-way";
  /** The revision that the consumer has; null: none. */
  has: number | null;
}

/** The output of `verify --json`, beside `schemaVersion`. */
export interface VerifyAnswer {
  verdict: "complete" | "missing" | "on-its-way" | "unknown";
  sentence: string;
  /** The command that mends it. */
  next: string | null;
  list: {
    /** Where the consumer's ids were read. */
    from: string;
    /** When the list was taken: what was emitted later is left out. */
    asOf: number;
    /** Set where that is too early: when the youngest of its ids was emitted. */
    notBefore: number | null;
    /** Event ids in it, each once. */
    ids: number;
    /** Lines, items or objects without an event id. */
    unreadable: number;
  };
  scope: { source: string | null; surveyId: number | null; from: number | null; to: number | null };
  /** Responses whose last event the consumer should have. */
  expected: number;
  neverArrived: number;
  inDeadLetterQueue: number;
  olderRevision: number;
  onTheirWay: number;
  /** Emitted after the list was taken: not judged. */
  emittedLater: number;
  missing: MissingEvent[];
  /** Ids that no ledger of the poller has; null where only a part of it was read. */
  unknown: string[] | null;
  /** With --resend. */
  resend: { dryRun: boolean; sentence: string; items: ResentItem[] } | null;
}

/**
 * Milliseconds that the bus and a consumer may take, and more. An event emitted so shortly before the list was taken is not called missing
 * yet.
 */
const ON_ITS_WAY = 30_000;

interface CompareOptions {
  /** Ids of the consumer. Those that the ledger knows are taken out: what is left is unknown. */
  ids: IdSet;
  deadLetters: Pick<IdSet, "has">;
  /** When the consumer's list was taken (epoch milliseconds). */
  asOf: number;
  /** By `emittedAt`. */
  stretch: Stretch;
}

interface Compared {
  expected: number;
  emittedLater: number;
  /** When the youngest of the consumer's ids was emitted, where that was after the list is said to have been taken; else null. */
  notBefore: number | null;
  missing: MissingEvent[];
}

/** Compares the emitted responses of ledgers, some at a time, with what a consumer has. */
export function createComparison({ ids, deadLetters, asOf, stretch }: CompareOptions) {
  const compared: Compared = { expected: 0, emittedLater: 0, notBefore: null, missing: [] };

  function takeOne({ source, surveyId }: SurveyOf, { id, eventId, emittedAt }: EmittedResponse): void {
    const isThere = ids.take(eventId);
    const older = olderEventIds(source, surveyId, id, eventId);
    // All of them are known, and the latest tells.
    let has: number | null = null;
    for (const [i, one] of (older ?? []).entries()) if (ids.take(one)) has = i + 1;
    // A forgotten response has no time: its consumers may have forgotten it too.
    if (emittedAt === 0 || !includes(stretch, emittedAt)) return;
    if (emittedAt > asOf) {
      compared.emittedLater += 1;
      // The clocks of a bus and of a file differ by moments.
      if (isThere && emittedAt > asOf + ON_ITS_WAY) compared.notBefore = Math.max(compared.notBefore ?? 0, emittedAt);
      return;
    }
    compared.expected += 1;
    if (isThere) return;
    const revision = older === undefined ? null : older.length + 1;
    const cause = causeOf(eventId, emittedAt, has);
    compared.missing.push({ source, surveyId, responseId: id, eventId, revision, emittedAt, cause, has });
  }

  function causeOf(eventId: string, emittedAt: number, has: number | null): MissingEvent["cause"] {
    if (deadLetters.has(eventId)) return "dead-letter-queue";
    if (emittedAt > asOf - ON_ITS_WAY) return "on-its-way";
    return has === null ? "never-arrived" : "older-revision";
  }

  return {
    take(survey: SurveyOf, entries: readonly EmittedResponse[]): void {
      for (const entry of entries) takeOne(survey, entry);
    },
    compared,
  };
}

type Figures = Pick<
  VerifyAnswer,
  "neverArrived" | "inDeadLetterQueue" | "olderRevision" | "onTheirWay" | "expected" | "emittedLater"
> & {
  /** Ids of the consumer. */
  ids: number;
  /** When its list was taken, and since when it cannot have been before; epoch milliseconds. */
  asOf: number;
  notBefore: number | null;
};
type Causes = Pick<Figures, "neverArrived" | "inDeadLetterQueue" | "olderRevision" | "onTheirWay">;

const number = (figure: number): string => figure.toLocaleString("en-US");

/** How often each cause stands in the list. */
export function figuresOf(missing: readonly MissingEvent[]): Causes {
  const of = (cause: MissingEvent["cause"]): number => missing.filter((one) => one.cause === cause).length;
  return {
    neverArrived: of("never-arrived"),
    inDeadLetterQueue: of("dead-letter-queue"),
    olderRevision: of("older-revision"),
    onTheirWay: of("on-its-way"),
  };
}

export function verdictOf(figures: Figures): VerifyAnswer["verdict"] {
  const { neverArrived, inDeadLetterQueue, olderRevision, onTheirWay, expected, notBefore } = figures;
  if (neverArrived + inDeadLetterQueue + olderRevision > 0) return "missing";
  if (expected === 0 || notBefore !== null) return "unknown";
  return onTheirWay > 0 ? "on-its-way" : "complete";
}

/** "Missing 12 of 10,000: 10 never arrived, 2 in the dead-letter queue; 1 older revision." */
export function verdictText(figures: Figures): string {
  const { neverArrived, inDeadLetterQueue, olderRevision, onTheirWay, expected, emittedLater } = figures;
  const way = `${number(onTheirWay)} may still be on ${onTheirWay === 1 ? "its" : "their"} way`;
  const all = number(expected);
  switch (verdictOf(figures)) {
    case "complete":
      return `Complete. The consumer has all ${count(expected, "event")}${laterText(emittedLater)}.`;
    case "unknown":
      return `Not proved: ${unknownText(figures)}`;
    case "on-its-way":
      return `Not proved: ${way}, of ${all}. Take the list again in a minute.`;
    case "missing": {
      const causes = [
        ...(neverArrived > 0 ? [`${number(neverArrived)} never arrived`] : []),
        ...(inDeadLetterQueue > 0 ? [`${number(inDeadLetterQueue)} in the dead-letter queue`] : []),
      ];
      const lost = neverArrived + inDeadLetterQueue;
      const older = `${number(olderRevision)} older ${olderRevision === 1 ? "revision" : "revisions"}`;
      const parts = [
        ...(lost > 0 ? [`Missing ${number(lost)} of ${all}: ${causes.join(", ")}`] : []),
        ...(olderRevision > 0 ? [lost > 0 ? older : `Not up to date: ${older}, of ${all}`] : []),
        ...(onTheirWay > 0 ? [way] : []),
      ];
      return `${parts.join("; ")}.`;
    }
  }
}

/** Why nothing is proved, and what to do. */
function unknownText({ emittedLater, ids, asOf, notBefore }: Figures): string {
  const taken = `the list counts as taken on ${utc(asOf)}`;
  if (notBefore !== null) return `${taken}, and has events that were emitted until ${utc(notBefore)}.`;
  if (emittedLater > 0) {
    return `nothing was compared: ${taken}, before all ${count(emittedLater, "event")}. Say when it was: --as-of TIME.`;
  }
  return ids === 0
    ? "nothing was emitted there yet, and nothing was compared."
    : "nothing was emitted there, and this poller knows none of the ids. Is it the right one?";
}

function laterText(emittedLater: number): string {
  if (emittedLater === 0) return "";
  return `; ${number(emittedLater)} ${emittedLater === 1 ? "was" : "were"} emitted after its list was taken, and not judged`;
}
