import type { PollingSource } from "../../lib/polling/model/source.ts";
import type { SimSurvey } from "../../test/simulation/service/survey-model.ts";
import { BEFORE, history, START } from "./history.ts";
import { classes, type Key, type LatenessClass, PAGES, turnsOf } from "./lateness-classes.ts";
import { placedOn } from "./placement.ts";
import { advance, type Change, createRun, fork, type Run, requestsBetween } from "./run.ts";
import { complete, createSurvey, listOpen, type Service } from "./service.ts";
import { DAY, HOUR, leastSource, SECOND } from "./source.ts";

/** How late one class of completions went out, against what was promised. Times are milliseconds. */
export interface Lateness {
  kind: LatenessClass;
  bound: number;
  /** What the turns of the background budget, and of the ticks, may add to it. */
  turns: number;
  delays: number[];
  /** Trials in which it did not go out at all within twice its bound and two days. */
  lost: number;
  /** Requests beyond those of the same time without it, its metrics and metadata included: one for each trial. */
  costs: number[];
}

const TRIALS = 24;
/** Responses begin until here; what comes after is quiet. */
const LIVE = 4 * DAY;
/** By then nothing is looked for any more. */
const QUIET = START + LIVE + 12 * HOUR;
const SPREAD = 7 * DAY;
/** Time after a delivery in which its costs may still fall. */
const AFTERMATH = HOUR;

/** Measures each class of one sort key. */
export async function latenessOf(key: Key): Promise<Lateness[]> {
  const source = leastSource();
  const base = quietAfterLife(source, key);
  const results = classes
    .filter(({ page }) => key !== "dateCompleted" || page === 1)
    .map(
      (kind): Lateness => ({
        kind,
        bound: kind.bound(source, key),
        turns: turnsOf(kind, source, key),
        delays: [],
        lost: 0,
        costs: [],
      }),
    );
  const reads = await readsOf(quietAfterLife(source, key));
  const moments = results.flatMap((result) => {
    const { openFor, page } = result.kind;
    // A listed open one needs the life of the list to sink in it; the others are measured once it is quiet.
    const spread = openFor === undefined ? SPREAD : LIVE - openFor - 8 * HOUR;
    const from = openFor === undefined ? QUIET : START + 6 * HOUR;
    const even = Array.from({ length: TRIALS }, (_, i) => from + (spread * i) / TRIALS);
    // Nothing is later than what completes just after its page was read.
    const unlucky = page === 1 ? [] : reads(page).map((at) => at + source.interval);
    return [...even, ...unlucky].map((at, i) => ({ result, i, at }));
  });
  const forks: { run: Run; result: Lateness; completesAt: number; id: number }[] = [];
  for (const { result, i, at } of moments.toSorted((a, b) => a.at - b.at)) {
    await advance(base, at);
    // Each trial falls into another part of the interval.
    const begins = base.now - source.interval + 1 + (((i * source.interval) / TRIALS) % source.interval);
    forks.push({ ...trial(base, result.kind, begins), result });
  }
  const last = Math.max(...forks.map(({ completesAt, result }) => completesAt + limitOf(result)));
  await advance(base, last + AFTERMATH + DAY);
  for (const { run, result, completesAt, id } of forks) {
    const began = run.now;
    await advance(run, completesAt + limitOf(result), () => run.delivered.has(id));
    const deliveredAt = run.delivered.get(id)?.[0]?.time;
    if (deliveredAt === undefined) {
      result.lost += 1;
      continue;
    }
    const until = deliveredAt + AFTERMATH;
    await advance(run, until);
    result.delays.push(deliveredAt - completesAt);
    result.costs.push(requestsBetween(run, began, until) - requestsBetween(base, began, until));
  }
  return results;
}

const limitOf = ({ bound }: Lateness): number => 2 * bound + 2 * DAY;

function trial(base: Run, kind: LatenessClass, begins: number): { run: Run; completesAt: number; id: number } {
  const survey = surveyOf(base.service);
  const response = placedOn(survey, kind.page, begins);
  const { id } = response;
  const completesAt = begins + (kind.openFor ?? 0);
  const changes: Change[] = [
    {
      time: completesAt,
      apply: (service) => complete(service, service.responses.get(id) ?? response, completesAt, kind.counted),
    },
  ];
  if (kind.openFor !== undefined) {
    response.startedAt = begins - 30 * SECOND;
    changes.push({ time: begins, apply: (service) => listOpen(service, response, begins) });
  }
  return { run: fork(base, changes), completesAt, id };
}

const MOST_UNLUCKY = 6;

function quietAfterLife(source: PollingSource, sortKey: Key): Run {
  const survey = createSurvey(1, { sortKey });
  const changes = history({ survey, responses: 2_000, from: START - BEFORE, to: START + LIVE });
  return createRun(source, { surveys: new Map([[1, survey]]), responses: new Map() }, START, changes);
}

/** When a desc page was read while all is quiet and not again for longest: what completes then waits longest. */
async function readsOf(run: Run): Promise<(page: number) => number[]> {
  await advance(run, QUIET + 2 * SPREAD);
  return (page) => {
    const same = { desc: page, asc: PAGES + 1 - page };
    const times = run.pages
      .filter((read) => read.time >= QUIET && read.page === same[read.order])
      .map(({ time }) => time);
    const gaps = times.map((time, i) => ({ time, gap: (times[i + 1] ?? time) - time }));
    return gaps
      .toSorted((a, b) => b.gap - a.gap)
      .slice(0, MOST_UNLUCKY)
      .map(({ time }) => time);
  };
}

function surveyOf({ surveys }: Service): SimSurvey {
  const survey = surveys.get(1);
  if (survey === undefined) throw new RangeError("the history has no survey");
  return survey;
}
