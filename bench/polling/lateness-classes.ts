import type { PollingSource } from "../../lib/polling/model/source.ts";
import type { SortKey } from "../../test/simulation/service/survey-model.ts";
import { DAY, HOUR, MINUTE } from "./source.ts";

/** One way in which a completion can be noticed. */
export interface LatenessClass {
  name: string;
  /** The desc page on which it stands. */
  page: number;
  /** Whether the counts of the survey list move with it. */
  counted: boolean;
  /** Milliseconds from its being listed as open to its completion; absent: it is listed once it is completed. */
  openFor?: number;
  /** Milliseconds that the algorithm promises, its wait for a tick and for its turns left out. */
  bound: (source: PollingSource, key: Key) => number;
  /** Pages that the scan which finds it has to read, a turn each. */
  reads: (source: PollingSource, key: Key) => number;
  /** In words. */
  promise: (key: Key) => string;
}

export type Key = Extract<SortKey, "responseId" | "dateStart" | "dateCompleted" | "hash">;
export const keys: readonly Key[] = ["responseId", "dateStart", "dateCompleted", "hash"];

/** Pages below the head that are measured: they stand for hours, days and weeks of a survey. */
const DEPTHS = [2, 7, 17, 67];
/** Pages of the history that is measured. */
export const PAGES = 100;
/** As in the history that is measured: 2,000 responses of five records over 30 days. */
const PAGES_A_DAY = 2_000 / 30 / 20;

/** How many times the first depth has to double to reach a page: by pages, or by time where the list seems sorted by a date. */
function levelOf({ lookBack, scrub }: PollingSource, page: number, key: Key): number | undefined {
  // Two pages back the list is younger than what has to be reached: the page after the depth is read as well.
  const age = (Math.max(0, page - 2) / PAGES_A_DAY) * DAY;
  const level = Math.max(0, Math.ceil(Math.log2(key === "hash" ? page - 1 : age / lookBack.every)));
  const reached = key === "hash" ? lookBack.every * 2 ** level : age;
  return reached <= Math.min(lookBack.window, scrub.every) ? level : undefined;
}

function lookedBack(source: PollingSource, page: number, key: Key): number {
  const level = levelOf(source, page, key);
  return level === undefined ? source.scrub.every : source.lookBack.every * 2 ** level;
}

const head = {
  page: 1,
  bound: ({ interval }: PollingSource): number => interval,
  reads: () => 1,
  promise: () => "one interval",
};

const listedOpen = (name: string, openFor: number): LatenessClass => ({
  name: `listed as open, completes ${name} later`,
  page: 1,
  counted: false,
  openFor,
  reads: () => 1,
  // Sorted by completion, open ones stand at the end, where only a scrub would meet them; completed, they are at the head.
  bound: ({ interval, fullPoll }, key) => (key === "dateCompleted" ? fullPoll.every : Math.max(interval, openFor / 2)),
  promise: (key) => (key === "dateCompleted" ? "`fullPoll.every`" : "half its age"),
});

export const classes: readonly LatenessClass[] = [
  { ...head, name: "on the first page, counted", counted: true },
  {
    ...head,
    name: "on the first page, not counted",
    counted: false,
    bound: ({ fullPoll }) => fullPoll.every,
    promise: () => "`fullPoll.every`",
  },
  listedOpen("10 min", 10 * MINUTE),
  listedOpen("6 h", 6 * HOUR),
  listedOpen("3 d", 3 * DAY),
  ...DEPTHS.map(
    (page): LatenessClass => ({
      ...head,
      name: `not listed, counted, page ${page}`,
      page,
      counted: true,
      // The head at once and for five more ticks, then the pages below it, which are news.
      bound: ({ interval }) => 6 * interval,
      reads: () => 0,
      promise: () => "6 intervals",
    }),
  ),
  ...DEPTHS.map(
    (page): LatenessClass => ({
      ...head,
      name: `not listed, not counted, page ${page}`,
      page,
      counted: false,
      bound: (source, key) => lookedBack(source, page, key),
      reads: (source, key) => (levelOf(source, page, key) === undefined ? PAGES : page),
      promise: () => "its look-back's period, or `scrub.every`",
    }),
  ),
];

/** Three kinds of slow work take turns, at one request a tick, and the tick after the completion is one more interval. */
export function turnsOf({ reads }: LatenessClass, source: PollingSource, key: Key): number {
  return (1 + (3 * reads(source, key)) / source.backgroundRequests) * source.interval;
}
