import type { PollingSource } from "../../lib/polling/model/source.ts";
import { depthOf, levels, periodOf } from "../../lib/polling/routes/patrol.ts";
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

/** The level of the patrol that reaches a page, if any does. */
function levelAt(source: PollingSource, page: number): number | undefined {
  return Array.from({ length: levels(source) }, (_, level) => level).find((level) => page <= depthOf(level));
}

/** Milliseconds between two rounds of what reads a page, whatever the counts say. */
function periodAt(source: PollingSource, page: number): number {
  const level = levelAt(source, page);
  return level === undefined ? source.patrol.full : periodOf(level, source);
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
  // Sorted by completion, open ones stand at the end, where only a full pass would meet them; completed, they are at the head.
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
      // The head at once and for two more ticks, then the pages below it, which are news.
      bound: ({ interval }) => 3 * interval,
      reads: () => 0,
      promise: () => "3 intervals",
    }),
  ),
  ...DEPTHS.map(
    (page): LatenessClass => ({
      ...head,
      name: `not listed, not counted, page ${page}`,
      page,
      counted: false,
      bound: (source) => periodAt(source, page),
      reads: (source) => (levelAt(source, page) === undefined ? PAGES : page),
      promise: () => "the period of its level of the patrol, or `patrol.full`",
    }),
  ),
];

/** Three kinds of slow work take turns, at one request a tick, and the tick after the completion is one more interval. */
export function turnsOf({ reads }: LatenessClass, source: PollingSource, key: Key): number {
  return (1 + (3 * reads(source, key)) / source.backgroundRequests) * source.interval;
}
