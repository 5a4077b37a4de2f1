import type { SampledState } from "../../../lib/operator/sample.ts";

/** The cost of a full pass. */
export interface AuditCost {
  /** Pages of the lists, as far as is known. */
  pages: number;
  /** False where a list was never read to its end: it may have more pages. */
  isExact: boolean;
  /** About two for each page: each is read again to prove that it has not moved. */
  requests: number;
  /** At the rate that was learned; null where nothing was ever refused. */
  seconds: number | null;
  /** When it is done within the background budget, at the latest (epoch milliseconds); null with --now. */
  by: number | null;
}

export interface AuditedSurvey {
  surveyId: number;
  name: string | null;
  pages: number;
  /** Planned: it is under way, and was not waited for. */
  outcome: "to do" | "planned" | "closed" | "open" | "unaccounted";
  /** As the closed books have it. */
  listed: number | null;
  /** New responses that no other walk had met: they went out. */
  found: number | null;
  /** The ones of them that are older than the newest one that was settled; null where nothing tells. */
  missing: number[] | null;
  closedAt: number | null;
  /** Why the books are open. */
  why: string | null;
  unaccounted: { count: number; ids: number[] } | null;
}

/** The output of `audit --json`, beside `schemaVersion`. */
export interface AuditAnswer {
  dryRun: boolean;
  source: string;
  mode: "background" | "now";
  cost: AuditCost;
  surveys: AuditedSurvey[];
}

export interface SampledSurvey {
  surveyId: number;
  name: string | null;
  /** Pages of the list, and those that were read, in asc order. */
  pages: number;
  read: number[];
  /** Different responses on them. */
  responses: number;
  states: Partial<Record<SampledState, number>>;
  /** Completed after the floor, and unknown to the ledger. */
  missing: number[];
  /** The same, but new since the last poll. */
  isNew: number[];
  /** The probability that so many missing responses, wherever they lie by chance, would have shown at least one. */
  chances: { missing: number; seen: number }[];
  /** The same where all of them lie on one page. */
  chanceOnOnePage: number;
}

/** The output of `audit --sample --json`, beside `schemaVersion`. */
export interface SampleAnswer {
  source: string;
  percent: number;
  seed: number;
  surveys: SampledSurvey[];
}
