import type { SampledState, SampleResult } from "../../../operator/sample.ts";
import type { DateRange } from "../../../polling/index.ts";
import { readEntries } from "../../../state/ledger.ts";
import { EXIT, InterruptedError } from "../../errors.ts";
import { askingAws } from "../../target/aws-failure.ts";
import type { SourceWork } from "../../target/source-work.ts";
import { type PolledSurvey, refuseBehind } from "../../target/surveys.ts";
import type { Answer } from "../../verb.ts";
import { isPolling, watchTicks } from "../../wait.ts";
import { count, surveyName } from "../../words.ts";
import { sumOf } from "../status/answer.ts";

// A random part of the pages of a list, looked up in the ledger. Nothing is changed.

/** Looks up a random part of the pages, and tells what it has seen. */
export async function sample(of: SourceWork, percent: number): Promise<Answer> {
  const data = await takeSample(of, percent);
  const missing = data.surveys.some((survey) => survey.missing.length > 0);
  const [read, pages] = [sumOf(data.surveys, (one) => one.read.length), sumOf(data.surveys, (one) => one.pages)];
  const end = `A sample: ${read} of ${count(pages, "page")}. It proves nothing of the others: survey-poller audit does.`;
  const text = [...data.surveys.flatMap(sampledLines), end];
  return { data, text, exit: missing ? EXIT.unaccounted : EXIT.done };
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

export async function takeSample(of: SourceWork, percent: number) {
  const surveys: SampledSurvey[] = [];
  for (const survey of of.surveys) surveys.push(await sampleSurvey(of, survey, percent));
  return { source: of.source.name, percent, surveys };
}

type SampledSurvey = Awaited<ReturnType<typeof sampleSurvey>>;

async function sampleSurvey(of: SourceWork, survey: PolledSurvey, percent: number) {
  refuseBehind(survey);
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
