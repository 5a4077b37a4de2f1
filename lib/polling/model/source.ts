import type { QuestionsMode } from "../../events/build/words.ts";
import type { EventType } from "../../events/index.ts";
import type { Privacy } from "./privacy.ts";

export type Selection = "all" | { include: number[] } | { exclude: number[] };

/** The part of a source's configuration that polling acts upon. Durations are milliseconds. */
export interface PollingSource {
  name: string;
  surveys: Selection;
  /** "now", "beginning" or YYYY-MM-DD. */
  startFrom: string;
  interval: number;
  timeZone?: string | undefined;
  enrich: { metrics: boolean; metadata: boolean };
  questions: QuestionsMode;
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

/** Fields of the survey list that hold a count of responses. */
export const COUNT_FIELDS = ["responses", "correct", "unpaidResponses"] as const;
/** The fields of each survey in the list that are read. */
export const LISTED_FIELDS = ["surveyId", "created", "name", "modified", "languageId", ...COUNT_FIELDS] as const;
