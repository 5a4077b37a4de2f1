import { FURTHEST_BEHIND, utcString } from "../../events/build/date-string.ts";
import type { Thresholds } from "../../events/build/figures.ts";
import type { QuestionsMode } from "../../events/build/words.ts";
import type { EventType } from "../../events/index.ts";
import type { Privacy } from "./privacy.ts";

export type Selection = "all" | { include: number[] } | { exclude: number[] };

/** What polling needs of the configuration of a source. Durations are milliseconds. */
export interface PollingSource {
  name: string;
  surveys: Selection;
  /** "now", "beginning" or YYYY-MM-DD. */
  startFrom: string;
  interval: number;
  timeZone?: string | undefined;
  enrich: { metrics: boolean; metadata: boolean };
  questions: QuestionsMode;
  /** Of metrics, by their names. */
  thresholds: Thresholds;
  /** Where contents come from: "auto" compares, and learns it. */
  contents?: "auto" | "pages" | "single";
  privacy: Privacy;
  enrichmentPatience: number;
  absentAfter: number;
  backgroundRequests: number;
  concurrency: number;
  headPages: number;
  /** How often something is scanned anew, and how often all pages are read. */
  rescan: { every: number; full: number };
  retention: { quarantine: number };
  /** Types of events that are given out. */
  events: ReadonlySet<EventType>;
}

export function selected(surveyId: number, selection: Selection): boolean {
  if (selection === "all") return true;
  return "include" in selection ? selection.include.includes(surveyId) : !selection.exclude.includes(surveyId);
}

export const COUNT_FIELDS = ["responses", "correct", "unpaidResponses"] as const;
export const LISTED_FIELDS = [
  "surveyId",
  "created",
  "name",
  "modified",
  "languageId",
  "impressions",
  "opened",
  ...COUNT_FIELDS,
] as const;

/** Where history begins: one date for a source, stored once (R15). What completed before it is history, and never goes out. */
export interface Start {
  /** The `startFrom` that it was made of. */
  from: string;
  /** A date string of the service; null: nothing is history. */
  at: string | null;
  /** Surveys that have answered at none of the looks for "now": they had no say in it. */
  leftOut?: number[];
}

/** A look for "now" that is to be repeated by the next tick. */
export interface StartLooks {
  ticks: number;
  /** Surveys that count responses and have shown none. */
  unanswered: number[];
}

/** Whether a date string lies before the start. At "now" itself the newest responses of the first tick have completed, which are history too. */
export function isHistory(date: string, { from, at }: Start): boolean {
  return at !== null && (from === "now" ? date <= at : date < at);
}

// Date strings of the service are compared with each other only, as text.

/** The earliest date string, in any zone, of something that happens after `at` (epoch milliseconds). */
export function earliestString(at: number): string {
  return utcString(at - FURTHEST_BEHIND);
}
