import { ago, count, pauseEnd, span, utc } from "../../words.ts";
import type { SourceStatus, StatusAnswer, SurveyStatus } from "./answer.ts";

export interface VerdictOf {
  sources: readonly SourceStatus[];
  surveys: readonly SurveyStatus[];
  /** How the command line names the poller. */
  flags: string;
  now: number;
}

type Verdict = Omit<StatusAnswer, "run" | "sources" | "surveys">;

/**
 * One sentence on all of it, the worst first.
 *
 * | verdict | when |
 * |---|---|
 * | unaccounted | a full pass has met listed responses that the ledger cannot account for |
 * | late | a source is not polled, paused, out of reach, or an operation of the service fails |
 * | working | a catch-up is under way |
 * | unknown | a source was never polled, the books of some survey were never closed, or the last full pass could not close them |
 * | complete | none of these |
 */
export function verdictOf({ sources, surveys, flags, now }: VerdictOf): Verdict {
  const sums = {
    listed: sum(surveys, ({ books }) => books?.listed ?? 0),
    accounted: sum(surveys, ({ books, unaccounted }) => (books?.listed ?? 0) - unaccounted),
    provedAt: surveys.reduce<number | null>(
      (oldest, { books }) => (books === null ? oldest : Math.min(oldest ?? books.closedAt, books.closedAt)),
      null,
    ),
  };
  const say = (verdict: Verdict["verdict"], sentence: string, next: string | null = null): Verdict => ({
    verdict,
    sentence,
    next,
    ...sums,
  });

  const worst = surveys.filter(({ unaccounted }) => unaccounted > 0).sort((a, b) => b.unaccounted - a.unaccounted)[0];
  if (worst !== undefined) {
    const total = sum(surveys, ({ unaccounted }) => unaccounted);
    const next = `survey-poller audit --survey ${worst.surveyId} --now --yes ${flags}`;
    return say("unaccounted", `${total} unaccounted in ${nameOf(worst)}.`, next);
  }
  const problem = sources.find((source) => source.problem !== null);
  if (problem !== undefined) {
    const resume = `survey-poller resume${sources.length > 1 ? ` --source ${problem.source}` : ""}`;
    const next = problem.pausedSince === null ? `survey-poller doctor ${flags}` : `${resume} --yes ${flags}`;
    const isNew = problem.lastTick === null && problem.pausedUntil === null;
    return say(isNew ? "unknown" : "late", `${problem.problem}`, next);
  }
  const behind = surveys.filter(({ catchUp }) => catchUp !== null);
  if (behind.length > 0) return say("working", workingOn(behind));
  const unproved = surveys.filter(({ books, booksOpen }) => books === null || booksOpen !== null);
  const [first] = unproved;
  if (surveys.length === 0) return say("unknown", "No survey has been polled yet.");
  if (first !== undefined) {
    const why = first.booksOpen ?? "no full pass has read every page";
    const sentence = `Not proved: ${count(unproved.length, "survey")} with open books; ${nameOf(first)}: ${why}.`;
    return say("unknown", sentence, `survey-poller audit --now --yes ${flags}`);
  }
  const { listed, accounted, provedAt } = sums;
  const number = (figure: number): string => figure.toLocaleString("en-US");
  return say(
    "complete",
    `Complete. ${number(listed)} listed, ${number(accounted)} accounted for; proved ${ago(provedAt ?? undefined, now)}.`,
  );
}

export function nameOf({ surveyId, name }: Pick<SurveyStatus, "surveyId" | "name">): string {
  return name === null ? `survey ${surveyId}` : `${name} (${surveyId})`;
}

function workingOn(behind: readonly SurveyStatus[]): string {
  const [one] = behind;
  const part = one?.catchUp?.part ?? null;
  const percent = part === null ? "" : ` ${Math.floor(part * 100)} %`;
  const others = behind.length > 1 ? ` and ${count(behind.length - 1, "other survey")}` : "";
  return `Catching up${percent}: ${one === undefined ? "" : nameOf(one)}${others}. News go out meanwhile.`;
}

/** Milliseconds beside two intervals for which the survey list may fail: what passes at the next tick is no news. */
const PASSING = 20_000;

/** Why a source is not polled as it should be; null when it is. */
export function problemOf(
  status: Pick<SourceStatus, "source" | "lastTick" | "listedAt" | "pausedUntil" | "pausedSince" | "outages" | "awaits">,
  { interval, now }: { interval: number; now: number },
): string | null {
  const { source, lastTick, listedAt, pausedUntil, pausedSince, outages, awaits } = status;
  if (pausedSince !== null) {
    return `Paused since ${utc(pausedSince)} by an operator: source ${source}${pauseEnd(pausedUntil)}. Nothing is lost.`;
  }
  if (pausedUntil !== null) {
    return `Late: the service of ${source} asks to be left alone until ${utc(pausedUntil)}; nothing is lost.`;
  }
  if (lastTick === null) return `Source ${source} has not been polled yet.`;
  // A tick may take long, and the next begins at its own time.
  const patience = 2 * interval + 300_000;
  if (now - lastTick > patience) return `Late: the last tick of ${source} came to its end ${span(now - lastTick)} ago.`;
  if (listedAt === null) return `Late: the survey list of ${source} could not be read yet; nothing is lost.`;
  const unreadFor = now - listedAt;
  if (listedAt < lastTick && unreadFor > 2 * interval + PASSING) {
    return `Late: the survey list of ${source} could not be read for ${span(unreadFor)}; nothing is lost.`;
  }
  if (awaits.length > 0) {
    const which = `survey ${awaits.join(", ")} of ${source}`;
    return `Late: it is not known yet where history begins, as ${which} counts responses and shows none. The third tick leaves it out; nothing is lost.`;
  }
  const [outage] = outages;
  return outage === undefined ? null : `Late: the service gives no ${outage} for ${source}; responses wait for them.`;
}

function sum<T>(all: readonly T[], figure: (one: T) => number): number {
  return all.reduce((total, one) => total + figure(one), 0);
}
