import { unlistedText } from "../../target/surveys.ts";
import { ago, count, figure, pauseEnd, span, surveyName, utc } from "../../words.ts";
import {
  type CatchUp,
  emittedText,
  type SourceStatus,
  type StatusAnswer,
  type SurveyStatus,
  sumOf,
  withheldIn,
} from "./answer.ts";

export interface VerdictOf {
  sources: readonly SourceStatus[];
  surveys: readonly SurveyStatus[];
  /** Of the last run on a data folder. */
  end: StatusAnswer["end"];
  /** How the command line names the poller. */
  flags: string;
  now: number;
}

type Verdict = Omit<StatusAnswer, "run" | "end" | "sources" | "surveys">;

/**
 * One sentence on all of it, the worst first.
 *
 * | verdict | when |
 * |---|---|
 * | unaccounted | a full pass has met listed responses that the ledger cannot account for |
 * | withheld | some responses are held, quarantined or refused: they do not go out |
 * | late | the last run on a data folder could not go on; a source is not polled, paused, out of reach, or an operation of the service fails |
 * | working | a catch-up is under way |
 * | unknown | a source was never polled, a survey that is to be polled is not listed, the books of some survey were never closed, or the last full pass could not close them |
 * | complete | none of these |
 */
export function verdictOf({ sources, surveys, end, flags, now }: VerdictOf): Verdict {
  const listed = sumOf(surveys, ({ books }) => books?.listed ?? 0);
  const accounted = listed - sumOf(surveys, ({ books, unaccounted }) => (books === null ? 0 : unaccounted));
  const closed = surveys.flatMap(({ books }) => books?.closedAt ?? []);
  const provedAt = closed.length === 0 ? null : Math.min(...closed);
  const say = (verdict: Verdict["verdict"], sentence: string, next: string | null = null): Verdict => ({
    ...{ verdict, sentence, next, listed, accounted, provedAt },
  });
  const several = sources.length > 1;
  const flagsOf = ({ source, surveyId }: SurveyStatus): string =>
    `--survey ${surveyId}${several ? ` --source ${source}` : ""}`;
  const auditNow = (survey: SurveyStatus): string => `survey-poller audit ${flagsOf(survey)} --now --yes ${flags}`;

  const worst = surveys.filter(({ unaccounted }) => unaccounted > 0).sort((a, b) => b.unaccounted - a.unaccounted)[0];
  if (worst !== undefined) {
    const total = sumOf(surveys, ({ unaccounted }) => unaccounted);
    return say("unaccounted", `${total} unaccounted in ${surveyName(worst)}.`, auditNow(worst));
  }
  if (end !== null && end.cause !== null) {
    return say("late", `Late: the last run ended ${ago(end.at, now)}: ${end.cause}`, `survey-poller doctor ${flags}`);
  }
  const problem = sources.find((source) => source.problem !== null);
  const withheld = surveys.filter((survey) => withheldIn(survey) > 0);
  const [held] = withheld;
  if (held !== undefined) {
    const setAside = withheld.find(({ now: { quarantined, refused } }) => quarantined + refused > 0);
    const list = setAside === undefined ? "" : `survey-poller quarantine list ${flagsOf(setAside)} ${flags}`;
    return say(
      "withheld",
      [withheldText(withheld), problem?.problem].filter(Boolean).join(" "),
      list || auditNow(held),
    );
  }
  if (problem !== undefined) {
    const isNew = problem.lastTick === null && problem.pausedUntil === null;
    const resume = `survey-poller resume${several ? ` --source ${problem.source}` : ""} --yes ${flags}`;
    const next = problem.pausedSince === null ? `survey-poller doctor ${flags}` : resume;
    const isBegun = isNew && problem.firstTick !== null;
    if (!isBegun) return say(isNew ? "unknown" : "late", `${problem.problem}`, next);
  }
  const behind = surveys.filter(({ catchUp }) => catchUp !== null);
  if (behind.length > 0) return say("working", workingOn(behind, now));
  if (problem !== undefined) return say("working", `${problem.problem}`);
  const unlisted = sources.flatMap((source) => source.unlisted);
  if (unlisted.length > 0) return say("unknown", `Not proved: ${unlistedText(unlisted)}.`);
  if (surveys.length === 0) return say("unknown", "No survey has been polled yet.");
  const unproved = surveys.filter(({ books, booksOpen }) => books === null || booksOpen !== null);
  const [first] = unproved;
  if (first !== undefined) {
    const why = first.booksOpen ?? "no full pass has read every page";
    const sentence = `Not proved: ${count(unproved.length, "survey")} with open books; ${surveyName(first)}: ${why}.`;
    return say("unknown", sentence, `survey-poller audit --now --yes ${flags}`);
  }
  const proved = `proved ${ago(provedAt, now)}`;
  return say("complete", `Complete. ${figure(listed)} listed, ${figure(accounted)} accounted for; ${proved}.`);
}

/** "23 responses do not go out: 20 held, 3 quarantined." */
function withheldText(surveys: readonly SurveyStatus[]): string {
  const all = sumOf(surveys, withheldIn);
  const kinds = (["held", "quarantined", "refused"] as const).flatMap((kind) => {
    const number = sumOf(surveys, ({ now }) => now[kind]);
    return number === 0 ? [] : [`${figure(number)} ${kind}`];
  });
  return `${count(all, "response")} ${all === 1 ? "does" : "do"} not go out: ${kinds.join(", ")}.`;
}

function workingOn(behind: readonly SurveyStatus[], now: number): string {
  const [one] = behind;
  const name = one === undefined ? "" : surveyName(one);
  const others = behind.length > 1 ? ` and ${count(behind.length - 1, "other survey")}` : "";
  const walks = behind.flatMap(({ catchUp }) => catchUp ?? []);
  const isAll = walks.every(({ emitted }) => emitted !== null);
  const emitted = isAll ? `${emittedText(walks, (left) => `about ${utcClock(now + left, now)}`)}; ` : "";
  const part = isAll ? partOf(walks) : (walks[0]?.part ?? null);
  const percent = part === null ? "" : ` ${Math.floor(part * 100)} %`;
  return `${one?.books === null ? "First read" : "Catching up"}${percent}: ${emitted}${name}${others}. News go out meanwhile.`;
}

function partOf(walks: readonly CatchUp[]): number | null {
  const expected = sumOf(walks, (walk) => walk.expected ?? 0);
  const isKnown = walks.every((walk) => walk.expected !== null) && expected > 0;
  return isKnown ? sumOf(walks, (walk) => walk.emitted ?? 0) / expected : null;
}

/** "18:20 UTC"; of another day with its date. */
function utcClock(at: number, now: number): string {
  const from = utc(at).slice(0, 10) === utc(now).slice(0, 10) ? 11 : 0;
  return `${utc(at).slice(from, 16)} UTC`;
}

/** Milliseconds beside two intervals for which the survey list may fail: what passes at the next tick is no news. */
const PASSING = 20_000;

/** Why a source is not polled as it should be; null when it is. `hasEnded`: somebody has ended the last run on its data folder. */
export function problemOf(
  status: Omit<SourceStatus, "rate" | "unlisted" | "start" | "problem">,
  { interval, now, hasEnded = false }: { interval: number; now: number; hasEnded?: boolean },
): string | null {
  const { source, firstTick, lastTick, listedAt, pausedUntil, pausedSince, outages, awaits } = status;
  if (pausedSince !== null) {
    return `Paused since ${utc(pausedSince)} by an operator: source ${source}${pauseEnd(pausedUntil)}. Nothing is lost.`;
  }
  if (pausedUntil !== null) {
    return `Late: the service of ${source} asks to be left alone until ${utc(pausedUntil)}; nothing is lost.`;
  }
  if (lastTick === null) {
    return firstTick === null
      ? `Source ${source} has not been polled yet.`
      : `First poll of ${source} under way for ${span(now - firstTick)}: what it meets goes out at once.`;
  }
  // A tick may take long, and the next begins at its own time.
  const patience = 2 * interval + 300_000;
  const silentFor = span(now - lastTick);
  if (now - lastTick > patience) {
    return hasEnded
      ? `Not polled for ${silentFor}: the last run on ${source} ended as it should. Start it again.`
      : `Late: the last tick of ${source} came to its end ${silentFor} ago.`;
  }
  if (listedAt === null) return `Late: the survey list of ${source} could not be read yet; nothing is lost.`;
  if (listedAt < lastTick && now - listedAt > 2 * interval + PASSING) {
    return `Late: the survey list of ${source} could not be read for ${span(now - listedAt)}; nothing is lost.`;
  }
  if (awaits.length > 0) {
    const which = `survey ${awaits.join(", ")} of ${source}`;
    return `Late: it is not known yet where history begins, as ${which} counts responses and shows none. The third tick leaves it out; nothing is lost.`;
  }
  const [outage] = outages;
  return outage === undefined ? null : `Late: the service gives no ${outage} for ${source}; responses wait for them.`;
}
