import { CommandError } from "../../errors.ts";
import { columns, count, utc } from "../../words.ts";
import type { MissingEvent, VerifyAnswer } from "./answer.ts";

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
export function sentenceOf(figures: Figures): string {
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

const CAUSES: Record<MissingEvent["cause"], (one: MissingEvent) => string> = {
  "never-arrived": () => "never arrived",
  "dead-letter-queue": ({ has }) => `in the dead-letter queue${has === null ? "" : `; revision ${has} is there`}`,
  "older-revision": ({ has, revision }) => `older revision: ${has} instead of ${revision}`,
  "on-its-way": () => "may still be on its way",
};

/** A line for each missing event: survey, response, event id, cause. */
export function missingLines(missing: readonly MissingEvent[]): string[] {
  return columns(
    missing.map((one) => [
      `${one.surveyId}`,
      `${one.responseId}`,
      one.eventId,
      CAUSES[one.cause](one),
      new Date(one.emittedAt).toISOString(),
    ]),
  );
}

/** The warning about ids that are no event of this poller. */
export function unknownWarning(unknown: readonly string[]): string {
  const some = unknown.slice(0, 3).join(", ");
  const more = unknown.length > 3 ? ", …" : "";
  return `Warning: ${count(unknown.length, "id")} of the consumer ${unknown.length === 1 ? "is" : "are"} of no event that this poller knows (${some}${more}).`;
}

export function nothingRead(what: string, hint: string): CommandError {
  return new CommandError("NO_EVENT_IDS", `${what} holds no event id`, { hint });
}
