import type { PollingSource } from "../../lib/polling/context.ts";
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
  /** In words. */
  promise: string;
}

export type Key = Extract<SortKey, "responseId" | "dateStart" | "dateCompleted" | "hash">;
export const keys: readonly Key[] = ["responseId", "dateStart", "dateCompleted", "hash"];

/** Pages below the head that are measured: they stand for hours, days and weeks of a survey. */
const DEPTHS = [2, 7, 17, 67];
/** As in the history that is measured: 2,000 responses of five records over 30 days. */
const PAGES_A_DAY = 2_000 / 30 / 20;

/** Look-back depths double, by pages and by time alike: the first that reaches the page says how often it is read. */
function lookedBack({ lookBack, scrub }: PollingSource, page: number, key: Key): number {
  const age = key === "hash" ? 0 : (page / PAGES_A_DAY) * DAY;
  const level = Math.ceil(Math.max(Math.log2(page), Math.log2((age + lookBack.every) / lookBack.every)));
  const period = lookBack.every * 2 ** level;
  return period / 2 < lookBack.window ? Math.min(period, scrub.every) : scrub.every;
}

const head = { page: 1, bound: ({ interval }: PollingSource): number => interval, promise: "one interval" };

const listedOpen = (name: string, openFor: number): LatenessClass => ({
  name: `listed as open, completes ${name} later`,
  page: 1,
  counted: false,
  openFor,
  bound: ({ interval }) => Math.max(interval, openFor / 2),
  promise: "half its age",
});

export const classes: readonly LatenessClass[] = [
  { ...head, name: "on the first page, counted", counted: true },
  {
    ...head,
    name: "on the first page, not counted",
    counted: false,
    bound: ({ fullPoll }) => fullPoll.every,
    promise: "`fullPoll.every`",
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
      // The head at once and for five more ticks, then the pages below it: three of four turns of the budget are for them.
      bound: ({ interval, backgroundRequests }) => (6 + ((4 / 3) * page) / backgroundRequests) * interval,
      promise: "6 intervals, and the pages above it at 3 of 4 turns of the budget",
    }),
  ),
  ...DEPTHS.map(
    (page): LatenessClass => ({
      ...head,
      name: `not listed, not counted, page ${page}`,
      page,
      counted: false,
      bound: (source, key) => lookedBack(source, page, key),
      promise: "its look-back's period, or `scrub.every`",
    }),
  ),
];
