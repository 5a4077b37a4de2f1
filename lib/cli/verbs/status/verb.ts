import type { SourceConfig } from "../../../config/index.ts";
import { toMoment } from "../../../events/build/local-time.ts";
import { BOOKS_ALLOWANCE } from "../../../monitoring/stalled.ts";
import { type AccountState, placeOf, sayWhyOpen, selected, unaccountedOf } from "../../../polling/index.ts";
import { emittedResponses, readEntries } from "../../../state/ledger.ts";
import { EXIT } from "../../errors.ts";
import type { Io } from "../../io.ts";
import { openTarget } from "../../target/open-target.ts";
import { countDue, entriesOf, fromTable, type PolledSurvey, readSource, unlistedText } from "../../target/surveys.ts";
import { sourcesOf, type Target } from "../../target/target.ts";
import { targetVerb, type Verb } from "../../verb.ts";
import { ago, columns, count, figure, nextCommand, span, surveyName, utc, whyPaused } from "../../words.ts";
import {
  type Backlog,
  COUNTED,
  emittedText,
  GLYPHS,
  type SourceStatus,
  type StatusAnswer,
  type SurveyStatus,
  severityOf,
  sumOf,
  withheldIn,
  withheldText,
} from "./answer.ts";

const LOOKS = {
  complete: { colour: "green", exit: EXIT.done },
  working: { colour: "blue", exit: EXIT.notNow },
  unknown: { colour: "blue", exit: EXIT.notNow },
  late: { colour: "yellow", exit: EXIT.notNow },
  withheld: { colour: "red", exit: EXIT.unaccounted },
  unaccounted: { colour: "red", exit: EXIT.unaccounted },
} as const;

const HELP = `
Examples:
  survey-poller status --stack SurveyPoller
  survey-poller status --data .survey-poller --json`;

export const statusVerb: Verb = (act) =>
  targetVerb("status", "a verdict first, then a line for each survey", HELP)
    .option("--source <name>", "only this source")
    .option("--all", "a line for each survey, however many are well")
    .action((options) =>
      act(options, async (io) => {
        await using target = await openTarget(options, io);
        const status = await readStatus(target, await sourcesOf(target, options.source), io.now());
        const text = statusText(status, { ...io, all: options.all === true });
        return { data: status, text, exit: LOOKS[status.verdict].exit };
      }),
    );

const HEAD = ["polled", "newest", "lag", "open", "waiting", "held", "aside", "proved", "listed", "emitted"];

/** Healthy surveys that are shown: of more of them their number says enough. */
const MOST_HEALTHY = 10;

/**
 * The verdict, the command that mends it, then a line for each survey, the worst first.
 *
 * @param all each survey has its line, however many there are
 */
export function statusText(
  status: StatusAnswer,
  { style, now, width, all }: Pick<Io, "style" | "now" | "width"> & { all: boolean },
): string[] {
  const { surveys, sources } = status;
  const ordered = surveys.toSorted((a, b) => severityOf(b) - severityOf(a));
  const healthy = surveys.filter((survey) => severityOf(survey) === 0);
  const isSummed = !all && healthy.length > MOST_HEALTHY;
  const shown = isSummed ? ordered.filter((survey) => severityOf(survey) > 0) : ordered;
  const several = sources.length > 1;
  const rows = shown.map((survey) => [...(several ? [survey.source] : []), ...rowOf(survey, now())]);
  const head = [...(several ? ["source"] : []), "survey", ...HEAD];
  return [
    `${style(LOOKS[status.verdict].colour, GLYPHS[status.verdict])} ${status.sentence}`,
    ...(status.next === null ? [] : [`Next: ${status.next}`]),
    ...(status.run === "ended" ? [`No run is at work on the data folder: ${endText(status, now())}.`] : []),
    ...(rows.length === 0 ? [] : ["", ...columns([head, ...rows], width)]),
    ...(isSummed ? ["", healthyLine(healthy, now())] : []),
  ];
}

function endText({ end }: StatusAnswer, now: number): string {
  if (end === null) return "the last one broke off. Nothing is lost, and the next one goes on";
  return `the last one ended ${ago(end.at, now)}${end.cause === null ? ", as it should" : ""}`;
}

/** "48 surveys proved within 5 min, 9,600 listed: --all shows them." */
function healthyLine(healthy: readonly SurveyStatus[], now: number): string {
  const closed = healthy.flatMap(({ books }) => books ?? []);
  const listed = figure(sumOf(closed, (books) => books.listed));
  const oldest = Math.min(...closed.map(({ closedAt }) => closedAt));
  return `${count(healthy.length, "survey")} proved within ${span(now - oldest)}, ${listed} listed: --all shows them.`;
}

function rowOf(survey: SurveyStatus, now: number): string[] {
  const { books, backlog, highWater, failingSince } = survey;
  const proved = books === null ? "never" : ago(books.closedAt, now);
  const place = backlog === null ? "" : ` (${placeText(backlog)})`;
  return [
    surveyName(survey),
    failingSince === null ? ago(survey.lastPoll, now) : `fails for ${span(now - failingSince)}`,
    highWater === null ? "-" : `${highWater.responseId}`,
    survey.lag === null ? "-" : span(survey.lag),
    `${survey.now.open}`,
    `${survey.now.waiting}`,
    `${survey.now.held}`,
    `${survey.now.quarantined + survey.now.refused}`,
    survey.unaccounted > 0 ? `${survey.unaccounted} unaccounted` : `${proved}${place}`,
    books === null ? "-" : `${books.listed}`,
    books === null ? "-" : `${books.emitted}`,
  ];
}

/** "532 of about 20,000 emitted, done in about 4 min"; or "page 12 of 60, 18 %, 4 min left". */
function placeText(walk: NonNullable<SurveyStatus["backlog"]>): string {
  const { page, pages, part, left, emitted } = walk;
  if (emitted !== null) return emittedText([walk], (milliseconds) => `in about ${span(milliseconds)}`);
  return [
    pages === null ? `page ${page}` : `page ${page} of ${pages}`,
    ...(part === null ? [] : [`${Math.floor(part * 100)} %`]),
    ...(left === null ? [] : [`about ${span(left)} left`]),
  ].join(", ");
}

/** Reads where these sources stand, and says it in one sentence. */
export async function readStatus(target: Target, sources: readonly SourceConfig[], now: number): Promise<StatusAnswer> {
  const { data } = target;
  const end = data?.end === undefined ? null : { at: data.end.at, cause: data.end.cause ?? null };
  const found: { sources: SourceStatus[]; surveys: SurveyStatus[] } = { sources: [], surveys: [] };
  for (const source of sources) {
    const { account, surveys } = await readSource(target, source.name);
    found.sources.push(sourceStatus(source, account, { now, hasEnded: end?.cause === null }));
    const of = { target, source, account, now };
    const chosen = surveys.filter(({ surveyId }) => selected(surveyId, source.surveys));
    found.surveys.push(...(await Promise.all(chosen.map((survey) => surveyStatus(of, survey)))));
  }
  const run = data === undefined ? null : data.isRunning ? "at work" : "ended";
  return { ...verdictOf({ ...found, end, flags: target.flags, now }), run, end, ...found };
}

/** `hasEnded`: somebody has ended the last run on the data folder of the source. */
export function sourceStatus(
  { name, interval }: Pick<SourceConfig, "name" | "interval">,
  account: AccountState,
  at: { now: number; hasEnded?: boolean },
): SourceStatus {
  const { firstTick = null, lastTick = null, listedAt = null, pausedUntil = null, pausedSince = null } = account;
  const { unlisted = [], start = null, startLooks, outages } = account;
  const status = {
    ...{ source: name, firstTick, lastTick, listedAt, pausedUntil, pausedSince, rate: rateOf(account) ?? null },
    outages: (["metrics", "metadata"] as const).filter((kind) => outages?.[kind] !== undefined),
    ...{ unlisted, start, awaits: start === null ? (startLooks?.unanswered ?? []) : [] },
  };
  return { ...status, problem: problemOf(status, { interval, ...at }) };
}

/** Requests a second that the client has learned. */
function rateOf({ learned }: AccountState): number | undefined {
  return (learned as { requestsPerSecond?: number } | undefined)?.requestsPerSecond;
}

interface Of {
  target: Target;
  source: SourceConfig;
  account: AccountState;
  now: number;
}

async function surveyStatus(of: Of, survey: PolledSurvey): Promise<SurveyStatus> {
  const { surveyId, row, mark } = survey;
  const table = of.target.table;
  const source = of.source.name;
  const [counts, lag, backlog] = await fromTable(() =>
    Promise.all([
      Promise.all(COUNTED.map(async (kind) => [kind, await countDue(table, source, surveyId, kind)])),
      lagOf(of, survey),
      backlogOf(of, survey),
    ]),
  );
  const status = {
    ...{ source, surveyId, name: mark.survey?.facts.name ?? null, phase: mark.phase.kind },
    ...{ lastPoll: row?.polledAt || null, failingSince: row?.failingSince ?? null },
    ...{ highWater: mark.highWater ?? null, lag },
    now: Object.fromEntries(counts) as SurveyStatus["now"],
    ...{ backlog, books: booksOf(survey) },
    booksOpen: mark.booksOpen === undefined ? null : sayWhyOpen(mark.booksOpen),
    unaccounted: unaccountedOf(mark),
  };
  const { interval, rescan } = of.source;
  // A survey that is listed no more has no further books.
  const fullEvery = row?.rest["full read"].at === Infinity ? Infinity : rescan.full;
  return { ...status, problem: surveyProblem(status, { interval, fullEvery, now: of.now }) };
}

function booksOf({ mark: { books } }: PolledSurvey): SurveyStatus["books"] {
  if (books === undefined) return null;
  const { listed, emitted, beforeStart, open, waiting, held, quarantined, refused, closedAt } = books;
  return { listed, emitted, beforeStart, open, waiting, held, quarantined, refused, closedAt };
}

/** From the completion of the newest settled response to its event: of none that completed before the first tick, which is history, or waits in a backlog. */
async function lagOf({ target, source, account }: Of, { surveyId, mark }: PolledSurvey): Promise<number | null> {
  const { responseId, completed } = mark.highWater ?? {};
  const { at, ambiguous } = toMoment(completed ?? null, source.timeZone);
  if (placeOf(mark) !== undefined || responseId === undefined || at === undefined || ambiguous === true) return null;
  const completedAt = Date.parse(at);
  if (completedAt < (account.firstTick ?? Number.POSITIVE_INFINITY)) return null;
  const entries = await readEntries(target.table, source.name, surveyId, [responseId]);
  const emittedAt = entries.get(responseId)?.emittedAt;
  return emittedAt === undefined ? null : Math.max(0, emittedAt - completedAt);
}

async function backlogOf(of: Of, { surveyId, row, mark }: PolledSurvey): Promise<Backlog | null> {
  const { target, source, account, now } = of;
  const page = placeOf(mark)?.page;
  if (page === undefined) return null;
  const listed = row?.counts[0] ?? null;
  const isFirst = mark.books === undefined && account.start?.at === null;
  const emittedAt: number[] | undefined = isFirst ? [] : undefined;
  for await (const entries of isFirst ? entriesOf(target, { source: source.name, surveyId }, emittedResponses) : [])
    emittedAt?.push(...entries.map((entry) => entry.emittedAt));
  const rate = Math.min(rateOf(account) ?? Infinity, source.maxRequestsPerSecond ?? Infinity);
  const details = Number(source.enrich.metrics) + Number(source.enrich.metadata);
  return progressOf({ page, lastPage: mark.lastPage, listed, emittedAt, rate, details, now });
}

/** Milliseconds over which the speed of a first read is taken. */
const LATELY = 60_000;

interface Reading {
  /** The first page of which not everything is dealt with; and the last one when the end of the list was looked for last. */
  page: number;
  lastPage: number | undefined;
  /** Responses by the count of the survey list; null where that is not known. */
  listed: number | null;
  /** When its events went out (epoch milliseconds), of a first read in which all that is met goes out. */
  emittedAt: readonly number[] | undefined;
  /** Requests a second, without end where no limit is known; and requests for the details of a response. */
  rate: number;
  details: number;
  now: number;
}

/** How far a full read is, and when it will be done. The pages of a first read follow from the records that its responses have had so far. */
export function progressOf({ page, lastPage, listed, emittedAt, rate, details, now }: Reading): Backlog {
  const emitted = emittedAt?.length ?? null;
  const expected = emitted === null || listed === null || listed < emitted ? null : listed;
  const byResponses = emitted === null || expected === null ? null : emitted / Math.max(1, expected);
  const known = lastPage === undefined ? null : Math.max(page, lastPage);
  const pages = byResponses === null || byResponses === 0 ? known : Math.max(page, Math.ceil((page - 1) / byResponses));
  const part = byResponses ?? (pages === null ? null : Math.min(1, (page - 1) / pages));
  // At the speed of the last minute, unless nothing went out in it.
  const lately = (emittedAt ?? []).filter((at) => at > now - LATELY);
  const took = now - lately.reduce((first, at) => Math.min(first, at), now);
  const isMeasured = emitted !== null && expected !== null && took > 0;
  const measured = isMeasured ? ((expected - emitted) * took) / lately.length : undefined;
  const isCounted = part !== null && pages !== null && listed !== null && rate !== Infinity;
  const byRate = isCounted ? (((1 - part) * (pages + listed * details)) / rate) * 1_000 : undefined;
  const left = measured ?? byRate;
  return { page, pages, part, left: left === undefined ? null : Math.ceil(left), emitted, expected };
}

type Verdict = Omit<StatusAnswer, "run" | "end" | "sources" | "surveys">;

/** One sentence on all of it, the worst first. docs/command.md says which verdict comes when. */
export function verdictOf({
  sources,
  surveys,
  end,
  flags,
  now,
}: Pick<StatusAnswer, "sources" | "surveys" | "end"> & { flags: string; now: number }): Verdict {
  const listed = sumOf(surveys, ({ books }) => books?.listed ?? 0);
  const accounted = listed - sumOf(surveys, ({ books, unaccounted }) => (books === null ? 0 : unaccounted));
  const closed = surveys.flatMap(({ books }) => books?.closedAt ?? []);
  const provedAt = closed.length === 0 ? null : Math.min(...closed);
  const say = (verdict: Verdict["verdict"], sentence: string, next: string | null = null): Verdict => ({
    ...{ verdict, sentence, next, listed, accounted, provedAt },
  });
  const auditNow = ({ source, surveyId }: SurveyStatus): string =>
    nextCommand("audit", { flags, source, surveyId }, "--now --yes");
  const doctor = nextCommand("doctor", { flags });

  const short = surveys.filter(({ unaccounted }) => unaccounted > 0).sort((a, b) => b.unaccounted - a.unaccounted);
  const [worst] = short;
  if (worst !== undefined) {
    const left = figure(sumOf(short.slice(1), ({ unaccounted }) => unaccounted));
    const others = short.length === 1 ? "" : `, ${left} in ${count(short.length - 1, "other survey")}`;
    const sentence = `${figure(worst.unaccounted)} unaccounted in ${surveyName(worst)}${others}.`;
    return say("unaccounted", sentence, auditNow(worst));
  }
  if (end !== null && end.cause !== null) {
    return say("late", `Late: the last run ended ${ago(end.at, now)}: ${end.cause}`, doctor);
  }
  const lateOnes = surveys.filter((survey) => survey.problem !== null);
  const problem = sources.find((source) => source.problem !== null);
  const withheld = surveys.filter((survey) => withheldIn(survey) > 0);
  const [held] = withheld;
  if (held !== undefined) {
    const setAside = withheld.find(({ now: { quarantined, refused } }) => quarantined + refused > 0);
    const all = sumOf(withheld, withheldIn);
    const what = `${count(all, "response")} ${all === 1 ? "does" : "do"} not go out: ${withheldText(withheld)}.`;
    const sentence = [what, problem?.problem ?? lateOnes[0]?.problem].filter(Boolean).join(" ");
    const next = setAside === undefined ? auditNow(held) : nextCommand("quarantine list", { ...setAside, flags });
    return say("withheld", sentence, next);
  }
  if (problem !== undefined) {
    const isNew = problem.lastTick === null && problem.pausedUntil === null;
    const { source, pausedSince } = problem;
    const next = pausedSince === null ? doctor : nextCommand("resume", { source, flags }, "--yes");
    const isBegun = isNew && problem.firstTick !== null;
    if (!isBegun) return say(isNew ? "unknown" : "late", `${problem.problem}`, next);
  }
  const [late, ...others] = lateOnes;
  if (late !== undefined) {
    const more = others.length === 0 ? "" : ` So it is with ${count(others.length, "other survey")}.`;
    return say("late", `${late.problem}${more}`, doctor);
  }
  const behind = surveys.filter(({ backlog }) => backlog !== null);
  if (behind.length > 0) return say("working", workingOn(behind, now));
  if (problem !== undefined) return say("working", `${problem.problem}`);
  const unlisted = sources.flatMap((source) => source.unlisted);
  if (unlisted.length > 0) return say("unknown", `Not proved: ${unlistedText(unlisted)}.`);
  if (surveys.length === 0) return say("unknown", "No survey has been polled yet.");
  const unproved = surveys.filter(({ books, booksOpen }) => books === null || booksOpen !== null);
  const [first] = unproved;
  if (first !== undefined) {
    const why = first.booksOpen ?? "no full read has read every page";
    const sentence = `Not proved: ${count(unproved.length, "survey")} with open books; ${surveyName(first)}: ${why}.`;
    return say("unknown", sentence, nextCommand("audit", { source: first.source, flags }, "--now --yes"));
  }
  const proved = `proved ${ago(provedAt, now)}`;
  return say("complete", `Complete. ${figure(listed)} listed, ${figure(accounted)} accounted for; ${proved}.`);
}

function workingOn(behind: readonly SurveyStatus[], now: number): string {
  const [one] = behind;
  const name = one === undefined ? "" : surveyName(one);
  const others = behind.length > 1 ? ` and ${count(behind.length - 1, "other survey")}` : "";
  const walks = behind.flatMap(({ backlog }) => backlog ?? []);
  const isAll = walks.every(({ emitted }) => emitted !== null);
  const emitted = isAll ? `${emittedText(walks, (left) => `about ${utcClock(now + left, now)}`)}; ` : "";
  const expected = walks.every((walk) => walk.expected !== null) ? sumOf(walks, (walk) => walk.expected ?? 0) : 0;
  const ofAll = expected > 0 ? sumOf(walks, (walk) => walk.emitted ?? 0) / expected : null;
  const part = isAll ? ofAll : (walks[0]?.part ?? null);
  const percent = part === null ? "" : ` ${Math.floor(part * 100)} %`;
  return `${one?.books === null ? "First read" : "Catching up"}${percent}: ${emitted}${name}${others}. News go out meanwhile.`;
}

/** "18:20 UTC"; of another day with its date. */
function utcClock(at: number, now: number): string {
  const from = utc(at).slice(0, 10) === utc(now).slice(0, 10) ? 11 : 0;
  return `${utc(at).slice(from, 16)} UTC`;
}

/** Milliseconds beside two intervals for which the survey list, or a survey, may fail: what passes at the next tick is no news. */
const PASSING = 20_000;

/** Why a survey is not polled as it should be; null when it is. */
export function surveyProblem(
  { failingSince, books, ...survey }: Omit<SurveyStatus, "problem">,
  { interval, fullEvery, now }: { interval: number; fullEvery: number; now: number },
): string | null {
  const name = surveyName(survey);
  const failing = now - (failingSince ?? now);
  if (failing > 2 * interval + PASSING) {
    return `Late: the polls of ${name} have failed for ${span(failing)}; nothing is lost.`;
  }
  const age = now - (books?.closedAt ?? now);
  if (age <= BOOKS_ALLOWANCE * fullEvery) return null;
  return `Late: the books of ${name} were closed ${span(age)} ago, and are to be closed every ${span(fullEvery)}.`;
}

/** Whether no tick has come to its end for longer than one may take: the next begins at its own time. */
export function isSilent({ lastTick }: Pick<SourceStatus, "lastTick">, at: { interval: number; now: number }): boolean {
  return at.now - (lastTick ?? 0) > 2 * at.interval + 300_000;
}

/** Why a source is not polled as it should be; null when it is. `hasEnded`: somebody has ended the last run on its data folder. */
export function problemOf(
  status: Omit<SourceStatus, "rate" | "unlisted" | "start" | "problem">,
  { interval, now, hasEnded = false }: { interval: number; now: number; hasEnded?: boolean },
): string | null {
  const { source, firstTick, lastTick, listedAt, pausedUntil, pausedSince, outages, awaits } = status;
  if (pausedUntil !== null) return `${whyPaused(source, { pausedSince, pausedUntil })}. Nothing is lost.`;
  if (lastTick === null) {
    return firstTick === null
      ? `Source ${source} has not been polled yet.`
      : `First poll of ${source} under way for ${span(now - firstTick)}: what it meets goes out at once.`;
  }
  const silentFor = span(now - lastTick);
  if (isSilent({ lastTick }, { interval, now })) {
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
