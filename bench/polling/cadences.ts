import { START } from "./history.ts";
import { advance, createRun, type Run, requestsBetween } from "./run.ts";
import { complete, createResponse, createSurvey, type Service } from "./service.ts";
import { DAY, defaultSource, HOUR, MINUTE } from "./source.ts";
import { median, worst } from "./statistics.ts";

/** What slow work costs where nothing happens, and how often a head is read for it. */
export interface Cadence {
  surveys: number;
  /** Pages of each. */
  pages: number;
  backgroundRequests: number;
  /** Requests an hour, the survey list left out: with a budget without end, and with this one. */
  wanted: number;
  granted: number;
  /** Milliseconds between two readings of the head of a survey; `ofRate` when the time was too short to see two of each. */
  median: number;
  worst: number;
  ofRate: boolean;
}

const SIZES = [
  { surveys: 1, pages: 100, settle: 2 * DAY, watch: 7 * DAY },
  { surveys: 1, pages: 1, settle: 2 * DAY, watch: 7 * DAY },
  { surveys: 100, pages: 10, settle: 3 * DAY, watch: 2 * DAY },
  { surveys: 100, pages: 1, settle: DAY, watch: 2 * DAY },
  { surveys: 10_000, pages: 1, settle: 2 * HOUR, watch: 6 * HOUR },
];
const BUDGETS = [1, 10];
const AMPLE = 1_000;
const LEAST_RECORDS = 20;

export async function cadences(): Promise<Cadence[]> {
  const results: Cadence[] = [];
  for (const { surveys, pages, settle, watch } of SIZES) {
    const wanted = surveys * (await idleRequests(pages));
    for (const backgroundRequests of BUDGETS) {
      const { run, from, perHour } = await idleRun(surveys, pages, backgroundRequests, settle, watch);
      const gaps = gapsBetweenHeads(run, from);
      const heads = run.pages.filter(({ time, page, order }) => time >= from && page === 1 && order === "desc").length;
      const ofRate = gaps.length < surveys;
      const round = (surveys / heads) * (run.now - from);
      results.push({
        surveys,
        pages,
        backgroundRequests,
        wanted,
        granted: perHour,
        median: ofRate ? round : median(gaps),
        worst: ofRate ? round : worst(gaps),
        ofRate,
      });
    }
  }
  return results;
}

/** Requests an hour of the slow work of one survey in which nothing happens, with a budget that never runs out. */
export async function idleRequests(pages: number): Promise<number> {
  return (await idleRun(1, pages, AMPLE, 2 * DAY, 7 * DAY)).perHour;
}

/** Surveys in which nothing happens, polled for a while. Requests an hour are counted from `from` on, the survey list left out. */
export async function idleRun(
  surveys: number,
  pages: number,
  backgroundRequests: number,
  settle: number,
  watch: number,
): Promise<{ run: Run; from: number; perHour: number }> {
  const service: Service = { surveys: new Map(), responses: new Map() };
  for (let id = 1; id <= surveys; id += 1) addSurvey(service, id, pages);
  const run = createRun(defaultSource({ backgroundRequests }), service, START, []);
  await advance(run, START + settle);
  const from = run.now;
  await advance(run, from + watch);
  const lists = watch / run.source.interval;
  return { run, from, perHour: (requestsBetween(run, from, run.now) - lists) / (watch / HOUR) };
}

/** Responses of five records, ten minutes apart, the last one an hour ago; a survey of one page has four of them. */
function addSurvey(service: Service, id: number, pages: number): void {
  const survey = createSurvey(id);
  service.surveys.set(id, survey);
  const responses = pages === 1 ? LEAST_RECORDS / 5 : (pages * 100) / 5;
  for (let i = 1; i <= responses; i += 1) {
    const at = START - HOUR - (responses - i) * 10 * MINUTE;
    complete(service, createResponse(survey, id * 10_000 + i, at - MINUTE), at, true);
  }
}

/** Milliseconds between two readings of the head of a survey, of all surveys. */
export function gapsBetweenHeads({ pages }: Run, from: number): number[] {
  const last = new Map<number, number>();
  const gaps: number[] = [];
  for (const { time, surveyId, page, order } of pages) {
    if (page !== 1 || order !== "desc") continue;
    const before = last.get(surveyId);
    if (before !== undefined && time > from && time > before) gaps.push(time - before);
    last.set(surveyId, time);
  }
  return gaps;
}
