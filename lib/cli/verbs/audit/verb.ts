import { Option } from "@commander-js/extra-typings";
import type { AuditResult } from "../../../operator/audit.ts";
import type { SampledState, SampleResult } from "../../../operator/sample.ts";
import { type DateRange, sayWhyOpen } from "../../../polling/index.ts";
import { readEntries } from "../../../state/ledger.ts";
import { CommandError, EXIT, InterruptedError, notNow, UsageError } from "../../errors.ts";
import type { Io } from "../../io.ts";
import { askingAws } from "../../target/aws-failure.ts";
import { onSource, type SourceWork } from "../../target/source-work.ts";
import { type PolledSurvey, pagesOf, refuseBehind, refusePaused, type SourceState } from "../../target/surveys.ts";
import { type Answer, surveyId, targetVerb, type Verb, yesOption } from "../../verb.ts";
import { isPolling, type Standing, wait, watchTicks } from "../../wait.ts";
import { count, nextCommand, span, surveyName, utc } from "../../words.ts";
import { auditAgainst } from "./against.ts";

const HELP = `
Without --yes it says what it costs. Exit code 5 names what is unaccounted for, 3 says why the books are open.
With --against it needs no poller: the credentials are those of SURVEY_CLIENT_ID and SURVEY_CLIENT_SECRET.

Examples:
  survey-poller audit --survey 421 --stack SurveyPoller --yes
  survey-poller audit --now --data .survey-poller --yes
  survey-poller audit --sample 5% --data .survey-poller
  survey-poller audit --against ids.csv --base-url https://surveys.example.com`;

export const auditVerb: Verb = (act) =>
  targetVerb("audit", "a full read that closes the books, or a sample", HELP)
    .option("--source <name>", "the source, where there are several")
    .option("--survey <id>", "only this survey; all of the source without it", surveyId)
    .option("--now", "reads at once, whatever the background budget")
    .option("--sample <percent>", "looks up a random part of the pages in the ledger, and changes nothing")
    .addOption(
      new Option("--against <file>", "names what these response ids lack of a service, without a poller").conflicts([
        ...["stack", "source", "now", "sample", "yes"],
      ]),
    )
    .option("--base-url <url>", "the service, with --against")
    .option("--column <name>", "the column or field with the ids, with --against")
    .option("--report <file>", "writes a page of HTML to send on, with --against")
    .addOption(yesOption())
    .action((options) =>
      act(options, async (io) => {
        const { against, baseUrl, column, report } = options;
        if (against !== undefined) return auditAgainst({ ...options, against }, io);
        if ([baseUrl, column, report].some((value) => value !== undefined)) {
          const hint = "They say with which service a file of ids is compared.";
          throw new UsageError("--base-url, --column and --report go with --against", { hint });
        }
        const { sample, now: isNow = false, yes: isDone = false } = options;
        const percent = sample === undefined ? undefined : percentIn(sample);
        if (percent !== undefined && (isNow || isDone)) {
          const hint = "A sample changes nothing and is read at once: leave --now and --yes out.";
          throw new UsageError("--sample goes with neither --now nor --yes", { hint });
        }
        return await onSource(options, io, async (of): Promise<Answer> => {
          refusePaused(of.state, of.target);
          return percent === undefined ? audit(of, { isNow, isDone }) : sampled(of, percent);
        });
      }),
    );

function percentIn(text: string): number {
  const percent = Number(text.replace(/ ?%$/, ""));
  if (/^\d/.test(text) && percent > 0 && percent <= 100) return percent;
  throw new UsageError("--sample is no percentage above 0", { hint: "Give one such as 5% or 100%." });
}

async function sampled(of: SourceWork, percent: number): Promise<Answer> {
  const data = await takeSample(of, percent);
  const missing = data.surveys.some((survey) => survey.missing.length > 0);
  const end = `A sample of ${percent} % of the pages. It proves nothing of the others: survey-poller audit does.`;
  const text = [...data.surveys.flatMap(sampledLines), end];
  return { data, text, exit: missing ? EXIT.unaccounted : EXIT.done };
}

/** The output of `audit --json`, beside `schemaVersion`. */
export type AuditAnswer = Awaited<ReturnType<typeof audit>>["data"];

async function audit(of: SourceWork, { isNow, isDone }: { isNow: boolean; isDone: boolean }) {
  const { target, source, surveys, io, progress } = of;
  const cost = costOf(of, isNow);
  const answer = (all: AuditedSurvey[]) => ({
    ...{ dryRun: !isDone, source: source.name, mode: isNow ? "now" : "background", cost, surveys: all },
  });
  if (!isDone) {
    const names = surveys.map((survey) => surveyName(audited(survey)));
    const which = surveys.length > 3 ? `${surveys.length} surveys` : names.join(", ");
    const plan = isNow
      ? `Would read every page of ${which} at once, and close the books.`
      : `Would make the full read of ${which} due at once: ticks read every page, and close the books.`;
    return { data: answer(surveys.map((survey) => audited(survey))), text: [plan, costText(cost)], isDry: true };
  }
  io.say(costText(cost));
  const all = await readPasses(of, isNow);
  for (const { unaccounted, surveyId: id } of all) {
    if (unaccounted === null) continue;
    // Which ones they are, as far as all pages can tell now.
    const sample = await takeSample({ ...of, surveys: surveys.filter((survey) => survey.surveyId === id) }, 100);
    unaccounted.ids = sample.surveys[0]?.missing ?? [];
  }
  progress.end();
  const open = all.filter(({ outcome }) => outcome === "open");
  if (open.length > 0) {
    const isPaused = open.some(({ why }) => why === "the source is paused");
    const resume = nextCommand("resume", { source: source.name, ...target });
    const tick = `the next tick, which comes within ${span(source.interval)}`;
    io.say(`Try again after ${isPaused ? resume : tick}.`);
  }
  const isShort = all.some(({ outcome }) => outcome === "unaccounted");
  const exit = isShort ? EXIT.unaccounted : open.length > 0 ? EXIT.notNow : EXIT.done;
  return { data: answer(all), text: all.map(surveyLine), exit };
}

/** Each page is read again, and the end of the list is looked at from both sides. */
const READS = 2;
const AT_THE_END = 4;

function costOf({ source, state: { account }, surveys, io }: SourceWork, isNow: boolean) {
  const known = surveys.map(pagesOf);
  const pages = known.reduce((sum, one) => sum + one.pages, 0);
  const requests = READS * pages + AT_THE_END * surveys.length;
  const { requestsPerSecond: learned } = (account.learned ?? {}) as { requestsPerSecond?: number };
  const rate = Math.min(learned ?? Number.POSITIVE_INFINITY, source.maxRequestsPerSecond ?? Number.POSITIVE_INFINITY);
  // Full reads have half of the budget; ticks may follow at once where a run is driven by hand.
  const ticks = Math.ceil(requests / Math.max(1, source.backgroundRequests / 2));
  return {
    pages,
    // A list that was never read to its end may have more.
    isExact: known.every(({ isExact }) => isExact),
    requests,
    // At the rate that was learned; null where nothing was ever refused.
    seconds: rate === Number.POSITIVE_INFINITY ? null : Math.ceil(requests / rate),
    // When it is done within the background budget, at the latest (epoch milliseconds).
    by: isNow ? null : io.now() + ticks * source.interval,
  };
}

/** "It reads 12 pages, about 28 requests; …" */
function costText({ pages, isExact, requests, seconds, by }: ReturnType<typeof costOf>): string {
  const rate = seconds === null ? "" : ` At the rate that was learned they take ${span(seconds * 1_000)}.`;
  const end = by === null ? "" : ` Within the background budget it is done by ${utc(by)}.`;
  return `It reads ${isExact ? "" : "at least "}${count(pages, "page")}, about ${count(requests, "request")}.${rate}${end}`;
}

export function surveyLine(survey: AuditedSurvey): string {
  const { outcome, listed, found, why, unaccounted } = survey;
  const name = surveyName(survey);
  if (unaccounted !== null) {
    const { count: left, ids } = unaccounted;
    return `${name}: ${left} unaccounted${ids.length === 0 ? "" : `: ${ids.join(", ")}`}`;
  }
  if (outcome !== "closed") return `${name}: the books are open: ${why}.`;
  const news = found
    ? ` ${count(found, "response")} no poll had met: ${found === 1 ? "it goes" : "they go"} out now.`
    : "";
  return `${name}: books closed, ${listed} listed, ${listed} accounted for.${news}`;
}

function sampledLines(survey: SampledSurvey): string[] {
  const { pages, read, responses, states, missing, isNew } = survey;
  const known = Object.entries(states).flatMap(([state, n]) => (state === "missing" ? [] : [`${n} ${state}`]));
  // Never 100 % for what is not certain.
  const percentOf = (part: number): string =>
    read.length >= pages ? "100 %" : `${Math.min(99.9, Math.floor(part * 1_000) / 10)} %`;
  const chances = survey.chances.map(({ missing: k, seen }) => `${k} with ${percentOf(seen)}`).join(", ");
  return [
    `${surveyName(survey)}: ${read.length} of ${pages} pages read, ${responses} responses: ${known.join(", ") || "none known"}.`,
    ...(isNew.length === 0 ? [] : [`  ${isNew.length} new since the last poll: ${isNew.join(", ")}`]),
    ...missing.map((id) => `  unaccounted: survey ${survey.surveyId}, response ${id}`),
    `  Of so many missing ones, wherever they lie, it would have seen at least one: of ${chances}. If all lie on one page: ${percentOf(survey.chanceOnOnePage)}.`,
  ];
}

export interface AuditedSurvey {
  surveyId: number;
  name: string | null;
  pages: number;
  outcome: "to do" | "closed" | "open" | "unaccounted";
  /** As the closed books have it. */
  listed: number | null;
  /** New responses that no scan had met: they went out. */
  found: number | null;
  closedAt: number | null;
  why: string | null;
  unaccounted: { count: number; ids: number[] } | null;
}

interface AuditOf extends Pick<SourceWork, "target" | "source" | "surveys" | "progress"> {
  io: Pick<Io, "now" | "signal">;
}

/** A survey of which nothing is known yet, or what is. */
export function audited(survey: PolledSurvey, more: Partial<AuditedSurvey> = {}): AuditedSurvey {
  const name = survey.mark.survey?.facts.name ?? null;
  const none = { listed: null, found: null, closedAt: null, why: null, unaccounted: null };
  return { surveyId: survey.surveyId, name, pages: pagesOf(survey).pages, outcome: "to do", ...none, ...more };
}

/** The state of the mark when a full read was asked for: when its books were closed last, and when the next one was due. */
interface Before {
  closedAt: number | undefined;
  nextPass: number | undefined;
}

/** The outcome of the full read that was asked for; undefined while it is under way. No two clocks are compared. */
export function outcomeOf(survey: PolledSurvey, before: Before): AuditedSurvey | undefined {
  const { books, booksOpen, pass, nextPass } = survey.mark;
  if (books !== undefined && booksOpen === undefined && books.closedAt !== before.closedAt) {
    const { listed, found, closedAt } = books;
    return audited(survey, { outcome: "closed", listed, found, closedAt });
  }
  // A pass at its end says when the next one begins.
  const isOver = pass === undefined && nextPass !== before.nextPass;
  if (!isOver || booksOpen === undefined) return undefined;
  const why = sayWhyOpen(booksOpen);
  if (booksOpen.code !== "unaccounted") return audited(survey, { outcome: "open", why });
  return audited(survey, { outcome: "unaccounted", why, unaccounted: { count: booksOpen.count, ids: [] } });
}

/**
 * Makes the full reads due, and waits until each has come to its end, or comes no further. `isNow`: they are read at once, in slices
 * between which ticks look at the head; else ticks read them.
 */
export async function readPasses(of: AuditOf, isNow: boolean): Promise<AuditedSurvey[]> {
  const planned: { survey: PolledSurvey; before: Before }[] = [];
  for (const survey of of.surveys) {
    const { surveyId, mark } = survey;
    const { outcome, dueAt } = await of.target.operate(of.source.name, "audit", { surveyId, mode: "plan" });
    if (outcome !== "planned") {
      const hint = "Try again in a minute: those before it are planned.";
      throw notNow("SURVEY_BUSY", `somebody else is at work on survey ${surveyId}`, { hint });
    }
    planned.push({ survey, before: { closedAt: mark.books?.closedAt, nextPass: dueAt } });
  }
  const all: AuditedSurvey[] = [];
  for (const { survey, before } of planned) {
    const done = planned.length > 1 ? `, ${all.length} of ${count(planned.length, "survey")} done` : "";
    all.push(await readPass(of, survey, { before, isNow, done }));
  }
  return all;
}

/** Milliseconds after a slice that could not be read, and such slices in a row after which a survey is left. */
const PAUSE = 1_000;
const MOST_FAILURES = 3;

function readPass(
  of: AuditOf,
  survey: PolledSurvey,
  { before, isNow, done }: { before: Before; isNow: boolean; done: string },
): Promise<AuditedSurvey> {
  const { surveyId } = survey;
  let failures = 0;
  /** Why it is waited for no longer. */
  let left: string | undefined;
  const look = ({ surveys }: SourceState): Standing<AuditedSurvey> => {
    const now = surveys.find((one) => one.surveyId === surveyId) ?? survey;
    const { booksOpen, pass } = now.mark;
    const over =
      outcomeOf(now, before) ?? (left === undefined ? undefined : audited(now, { outcome: "open", why: left }));
    if (over !== undefined) return { over };
    const { pages } = pagesOf(now);
    const page = Math.max(1, pass?.page ?? 1);
    of.progress.update(`survey ${surveyId}: page ${page} of ${Math.max(page, pages)}${done}`, (page - 1) / pages);
    // While any survey comes further ticks go on.
    const place = surveys.map(({ mark: one }) => [
      ...[one.pass?.page, one.pass?.failures, one.phase, one.booksOpen, one.nextPass],
    ]);
    const leave = (why: string) =>
      audited(now, { outcome: "open", why: booksOpen === undefined ? why : sayWhyOpen(booksOpen) });
    return { place: JSON.stringify(place), leave };
  };
  if (!isNow) return watchTicks(of, look);
  return watchTicks(of, look, async () => {
    const asked = of.target.operate(of.source.name, "audit", { surveyId, mode: "read" });
    const { outcome, failure } = await asked.catch((error): AuditResult => {
      // A refusal of the service for now is no failure of the audit.
      if (!(error instanceof CommandError) || !/^(TOO_MANY_REQUESTS|OUT_OF_TIME)$/.test(error.code)) throw error;
      return { outcome: "busy", failure: error };
    });
    failures = failure === undefined ? 0 : failures + 1;
    if (outcome === "behind") left = "it is being caught up";
    else if (failure !== undefined && failures === MOST_FAILURES) left = failure.message;
    else if (outcome === "busy" || failure !== undefined) await wait(PAUSE, of.io);
  });
}

/** How many missing responses the stated probabilities are for. */
const MISSING = [1, 10, 100];

/**
 * The probability that at least one of so many missing responses is seen on `read` pages, drawn out of `pages` without replacement. The
 * responses lie anywhere, by chance. Each lies on one page, and is seen with `read / pages`. Those on different pages are seen with a
 * little more, and those that all lie on one page with that of one.
 */
export function chanceToSee(missing: number, { read, pages }: { read: number; pages: number }): number {
  return pages === 0 ? 0 : 1 - (1 - Math.min(1, read / pages)) ** missing;
}

/** So many of the pages 1 to `pages`, in ascending order. `random` gives numbers from 0 to below 1. */
export function drawPages(pages: number, percent: number, random: () => number = Math.random): number[] {
  const wanted = Math.min(pages, Math.max(1, Math.ceil((pages * percent) / 100)));
  const drawn: number[] = [];
  // Each is drawn with what is still wanted out of what is still left: so every choice is as likely as any other.
  for (let page = 1; page <= pages && drawn.length < wanted; page += 1) {
    if (random() * (pages - page + 1) < wanted - drawn.length) drawn.push(page);
  }
  return drawn;
}

const AT_ONCE = 20;

/** Has the function look at so many of the pages of a list, by chance; what it finds on each part of them. */
export async function* lookAtPages(
  { target, source, io, progress }: SourceWork,
  { surveyId, mark: { books } }: PolledSurvey,
  { percent = 100, range }: { percent?: number; range?: DateRange },
): AsyncGenerator<SampleResult & { length: number; chosen: number[] }> {
  const ask = (pages: number[]): Promise<SampleResult> =>
    target.operate(source.name, "sample", { surveyId, pages, hasBooks: books !== undefined, range });
  const { length = 0 } = await ask([]);
  const chosen = drawPages(length, percent);
  for (let i = 0; i < chosen.length; i += AT_ONCE) {
    if (io.signal.aborted) throw new InterruptedError();
    progress.update(`survey ${surveyId}: ${i} of ${chosen.length} pages`, i / chosen.length);
    yield { ...(await ask(chosen.slice(i, i + AT_ONCE))), length, chosen };
  }
}

/** The output of `audit --sample --json`, beside `schemaVersion`. */
export type SampleAnswer = Awaited<ReturnType<typeof takeSample>>;

/** Looks up what a random part of the pages shows in the ledger. Nothing is changed. */
export async function takeSample(of: SourceWork, percent: number) {
  const surveys: SampledSurvey[] = [];
  for (const survey of of.surveys) {
    refuseBehind(survey);
    surveys.push(await sampleSurvey(of, survey, percent));
  }
  return { source: of.source.name, percent, surveys };
}

export type SampledSurvey = Awaited<ReturnType<typeof sampleSurvey>>;

async function sampleSurvey(of: SourceWork, survey: PolledSurvey, percent: number) {
  const { surveyId, mark } = survey;
  let [length, drawn] = [0, [] as number[]];
  const empty = new Set<number>();
  const states = new Map<number, SampledState>();
  const completed = new Map<number, string | null>();
  for await (const part of lookAtPages(of, survey, { percent })) {
    [length, drawn] = [part.length, part.chosen];
    for (const page of part.empty) empty.add(page);
    for (const [state, ids = []] of Object.entries(part.states))
      for (const id of ids) states.set(id, state as SampledState);
    for (const [id, date] of Object.entries(part.completed)) completed.set(Number(id), date);
  }
  // The list is shorter by now.
  const read = drawn.filter((page) => !empty.has(page));
  const pages = length - empty.size;
  const unknown = [...states].flatMap(([id, state]) => (state === "missing" ? [id] : []));
  const isNew = await lookAgain(of, survey, unknown, completed);
  const counted: Partial<Record<SampledState, number>> = {};
  for (const state of states.values()) counted[state] = (counted[state] ?? 0) + 1;
  return {
    ...{ surveyId, name: mark.survey?.facts.name ?? null, pages, read, responses: states.size, states: counted },
    // Completed after the start, and unknown to the ledger; the others are new since the last poll.
    missing: unknown.filter((id) => !isNew.has(id)),
    isNew: [...isNew],
    chances: MISSING.map((missing) => ({ missing, seen: chanceToSee(missing, { read: read.length, pages }) })),
    // Where all of them lie on one page, as after a failure at one moment: never more than that of one.
    chanceOnOnePage: chanceToSee(1, { read: read.length, pages }),
  };
}

/** The responses that are only new. A tick that has begun since has met them. Where none comes, nothing so new was met before. */
async function lookAgain(
  of: SourceWork,
  { surveyId, mark }: PolledSurvey,
  unknown: number[],
  completed: ReadonlyMap<number, string | null>,
): Promise<Set<number>> {
  if (unknown.length === 0) return new Set();
  const { target, source, io, progress } = of;
  if (!isPolling(target)) {
    const { completed: newest = "" } = mark.highWater ?? {};
    return new Set(unknown.filter((id) => (completed.get(id) ?? "") > newest));
  }
  const since = io.now();
  progress.update("a second look after the next tick");
  await watchTicks<void>(of, ({ account: { lastTick = 0 } }) =>
    lastTick > since ? { over: undefined } : { place: "", leave: () => undefined },
  );
  const isNew = new Set<number>();
  for (let i = 0; i < unknown.length; i += 100) {
    const some = unknown.slice(i, i + 100);
    const entries = await askingAws("the ledger could not be read", () =>
      readEntries(target.table, source.name, surveyId, some),
    );
    for (const id of some) if (entries.has(id)) isNew.add(id);
  }
  return isNew;
}
