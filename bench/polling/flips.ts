import { sortAgain } from "../../test/simulation/service/listing.ts";
import type { SimSurvey, Traits } from "../../test/simulation/service/survey-model.ts";
import { BEFORE, history, START } from "./history.ts";
import { advance, createRun, type Run, requestsBetween } from "./run.ts";
import { createSurvey, UTC } from "./service.ts";
import { DAY, leastSource } from "./source.ts";
import { median, worst } from "./statistics.ts";

/** A trait of the service that the poller has learned and that changes. */
interface Flip {
  name: string;
  traits: Partial<Traits>;
  change: Partial<Traits>;
}

export interface FlipCost {
  name: string;
  with: Outcome;
  without: Outcome;
}

/** Of what completed from the flip on. */
interface Outcome {
  responses: number;
  /** Milliseconds. */
  median: number;
  worst: number;
  /** Not out after all. */
  lost: number;
  /** Whose first event had fewer records than they have, and those that no later revision has mended. */
  short: number;
  stillShort: number;
  /** Requests of the first day from the flip on, and of the fourth. */
  firstDay: number;
  fourthDay: number;
}

const FLIPS: readonly Flip[] = [
  { name: "sort key: responseId, then hash", traits: {}, change: { sortKey: "hash" } },
  { name: "sort key: responseId, then from the newest to the oldest", traits: {}, change: { sortKey: "reversed" } },
  {
    name: "sort key: dateCompleted, then dateStart",
    traits: { sortKey: "dateCompleted" },
    change: { sortKey: "dateStart" },
  },
  { name: "records: together, then mixed with those of two neighbours", traits: {}, change: { layout: "interleaved" } },
  { name: "records: together, then all over the list", traits: {}, change: { layout: "scattered" } },
  { name: "counts: completions, then standing still", traits: {}, change: { counts: "frozen" } },
  { name: "counts: completions, then starts as well", traits: {}, change: { counts: "starts" } },
  { name: "counts: completions, then at random", traits: {}, change: { counts: "lying" } },
  { name: "pages: 100 records, then 40 to 100", traits: {}, change: { shortPages: true } },
  { name: "operation 9: the response, then nothing", traits: {}, change: { single: "gone" } },
  { name: "operation 9: the response, then more than pages list", traits: {}, change: { single: "more" } },
];

const FLIP_AT = START + 3 * DAY;
/** Responses begin until here, and have this long to go out. */
const LIVE = START + 8 * DAY;
const END = START + 18 * DAY;

export async function flipCosts(): Promise<FlipCost[]> {
  const costs: FlipCost[] = [];
  for (const { name, traits, change } of FLIPS) {
    costs.push({ name, with: await outcomeOf(traits, change), without: await outcomeOf(traits, {}) });
  }
  return costs;
}

async function outcomeOf(traits: Partial<Traits>, change: Partial<Traits>): Promise<Outcome> {
  const survey = createSurvey(1, traits);
  const completed = new Map<number, number>();
  const changes = history({
    survey,
    responses: Math.round((2_000 / 30) * ((LIVE - START + BEFORE) / DAY)),
    from: START - BEFORE,
    to: LIVE,
    slow: 0.2,
    idStep: 1,
    records: [2, 8],
    completing: (id, at) => void (at >= FLIP_AT && completed.set(id, at)),
  });
  const flip = { time: FLIP_AT, apply: () => flipped(survey, change) };
  const service = { surveys: new Map([[1, survey]]), responses: new Map() };
  const run = createRun(leastSource(), service, START, [...changes, flip]);
  await advance(run, END);
  return { ...delaysOf(run, completed), ...requestsOf(run) };
}

function flipped(survey: SimSurvey, change: Partial<Traits>): void {
  Object.assign(survey.traits, change);
  sortAgain(survey, UTC);
}

function delaysOf(run: Run, completed: Map<number, number>): Omit<Outcome, "firstDay" | "fourthDay"> {
  const delays: number[] = [];
  let [lost, short, stillShort] = [0, 0, 0];
  for (const [id, at] of completed) {
    const events = run.delivered.get(id);
    const [first] = events ?? [];
    const records = run.service.responses.get(id)?.answers ?? 0;
    if (events === undefined || first === undefined) {
      lost += 1;
      continue;
    }
    delays.push(first.time - at);
    if (first.answers < records) short += 1;
    if ((events.at(-1)?.answers ?? 0) < records) stillShort += 1;
  }
  return { responses: completed.size, median: median(delays), worst: worst(delays), lost, short, stillShort };
}

function requestsOf(run: Run): Pick<Outcome, "firstDay" | "fourthDay"> {
  const day = (number: number): number => requestsBetween(run, FLIP_AT + (number - 1) * DAY, FLIP_AT + number * DAY);
  return { firstDay: day(1), fourthDay: day(4) };
}
