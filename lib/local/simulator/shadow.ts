import { setTimeout as sleep } from "node:timers/promises";
import type { Simulator } from "./simulator.ts";

/**
 * A poller with a cursor, as everyone writes it, over the list that the real poller reads. It is meant to be a fair one:
 *
 * - Of each survey it keeps the newest completion date that it has seen: the cursor. The first poll only sets it.
 * - A poll reads pages, newest first, and takes every completed response on them whose date is after the cursor. It reads
 *   on until a page shows something at or before the cursor, or is not full. So it looks at whole pages, and not only down
 *   to the first old record.
 * - Records of one response that stand together are one response, also across the edge of two pages.
 * - It never fails, is never refused and never slow: its reads are no requests. A page takes it as long as one would.
 *
 * What it misses it misses by its cursor alone.
 */
export interface Shadow {
  /** A response has been completed; `at` in epoch milliseconds. */
  completed(surveyId: number, responseId: number, at: number): void;
  /** A response is no longer there. */
  removed(surveyId: number, responseId: number): void;
  /** One poll of all surveys; nothing while one is under way. */
  poll(): Promise<void>;
  summary(): ShadowSummary;
  /** The fate of one response; undefined for one that it does not follow. */
  fate(surveyId: number, responseId: number): "found" | "missed" | "not yet" | undefined;
}

export interface ShadowSummary {
  polls: number;
  /** Responses completed since it began, without those that were gone before two polls had begun. */
  completed: number;
  found: number;
  /** Completed before its last two polls began, and never found. */
  missed: number;
  /** Responses that it has given out more than once. */
  twice: number;
  /** The last of those missed, newest first. */
  misses: Miss[];
}

export interface Miss {
  surveyId: number;
  responseId: number;
  /** Epoch milliseconds. */
  completedAt: number;
  why: Why;
}

/**
 * - `late`: it completed late and stands below the page where the reading ends, or its date is before the cursor
 * - `tie`: it completed in the very second of the cursor
 * - `moved`: it slipped from a page not yet read to one already read
 */
export type Why = "late" | "tie" | "moved";

/** The record as it reads it. */
export type ShadowRecord = Readonly<Record<string, unknown>>;

interface ShadowService {
  surveyIds(): number[];
  /** A page of a list, newest first. */
  page(surveyId: number, page: number): ShadowRecord[];
  /** As long as a request for a page takes. */
  pause(): Promise<void>;
}

/** Records on a full page. */
const FULL = 100;
/** A response that stands in so many of its polls without being found is missed. */
const PATIENCE = 2;
/** Misses that are told one by one. */
const TOLD = 100;

interface Followed {
  surveyId: number;
  responseId: number;
  completedAt: number;
  /** Polls that began after it was completed and did not find it. */
  polls: number;
  why: Why | undefined;
}

/** The findings of one poll of a survey. */
interface Reading {
  pages: number;
  /** Dates by response, of those that it did not take. */
  leftOut: Map<number, string>;
}

export function createShadow(service: ShadowService): Shadow {
  const cursors = new Map<number, string>();
  const waiting = new Map<string, Followed>();
  const found = new Map<string, number>();
  const missed = new Map<string, Miss>();
  let polls = 0;
  let twice = 0;
  let isPolling = false;

  function takeOut(surveyId: number, responseId: number): void {
    const key = keyOf(surveyId, responseId);
    const times = found.get(key);
    // One from before it began: nobody counts it.
    if (times === undefined && !waiting.has(key) && !missed.has(key)) return;
    waiting.delete(key);
    missed.delete(key);
    found.set(key, (times ?? 0) + 1);
    if (times === 1) twice += 1;
  }

  /** Reads a survey down to its cursor. */
  async function read(surveyId: number, cursor: string): Promise<Reading> {
    const leftOut = new Map<number, string>();
    let newest = cursor;
    let last: number | undefined;
    for (let page = 1; ; page += 1) {
      const records = service.page(surveyId, page);
      let isDown = records.length < FULL;
      for (const record of records) {
        const { responseId, date } = readRecord(record);
        if (date > newest) newest = date;
        if (date <= cursor) {
          isDown = true;
          leftOut.set(responseId, date);
        } else if (responseId !== last) takeOut(surveyId, responseId);
        last = responseId;
      }
      if (isDown) {
        cursors.set(surveyId, newest);
        return { pages: page, leftOut };
      }
      await service.pause();
    }
  }

  function begin(surveyId: number): void {
    const dates = service.page(surveyId, 1).map((record) => readRecord(record).date);
    cursors.set(
      surveyId,
      dates.reduce((most, date) => (date > most ? date : most), ""),
    );
  }

  async function pollSurvey(surveyId: number): Promise<void> {
    const cursor = cursors.get(surveyId);
    if (cursor === undefined) return begin(surveyId);
    const there = [...waiting.values()].filter((one) => one.surveyId === surveyId);
    const reading = await read(surveyId, cursor);
    for (const one of there) {
      const key = keyOf(surveyId, one.responseId);
      if (waiting.get(key) !== one) continue;
      one.polls += 1;
      one.why ??= whyNot(one, cursor, reading);
      if (one.polls < PATIENCE) continue;
      waiting.delete(key);
      const { responseId, completedAt, why } = one;
      missed.set(key, { surveyId, responseId, completedAt, why });
    }
  }

  /** Looked up for the account alone: the poller with the cursor knows nothing of it. */
  function whyNot({ surveyId, responseId }: Followed, cursor: string, { pages, leftOut }: Reading): Why {
    const date = leftOut.get(responseId);
    if (date !== undefined) return date === cursor ? "tie" : "late";
    for (let page = 1; page <= pages; page += 1) {
      if (service.page(surveyId, page).some((record) => readRecord(record).responseId === responseId)) return "moved";
    }
    return "late";
  }

  return {
    completed(surveyId, responseId, at) {
      // Before its first poll there is no cursor yet: that is where history begins for it.
      if (!cursors.has(surveyId)) return;
      waiting.set(keyOf(surveyId, responseId), { surveyId, responseId, completedAt: at, polls: 0, why: undefined });
    },
    removed: (surveyId, responseId) => void waiting.delete(keyOf(surveyId, responseId)),
    async poll() {
      if (isPolling) return;
      isPolling = true;
      try {
        for (const surveyId of service.surveyIds()) await pollSurvey(surveyId);
        polls += 1;
      } finally {
        isPolling = false;
      }
    },
    summary: () => ({
      polls,
      completed: waiting.size + found.size + missed.size,
      found: found.size,
      missed: missed.size,
      twice,
      misses: [...missed.values()].slice(-TOLD).reverse(),
    }),
    fate(surveyId, responseId) {
      const key = keyOf(surveyId, responseId);
      if (found.has(key)) return "found";
      if (missed.has(key)) return "missed";
      return waiting.has(key) ? "not yet" : undefined;
    },
  };
}

function keyOf(surveyId: number, responseId: number): string {
  return `${surveyId}/${responseId}`;
}

/** One that is open has no date, and is before every cursor. */
function readRecord({ responseId, dateCompleted, completed }: ShadowRecord): { responseId: number; date: string } {
  const date = completed === 1 && typeof dateCompleted === "string" ? dateCompleted : "";
  return { responseId: Number(responseId), date };
}

/** Milliseconds from one page to the next, as of a service that is near. */
const PER_PAGE = 25;

/** The poller with a cursor, which polls whenever the service is asked for its survey list. */
export function runShadow(simulator: Simulator): { shadow: Shadow; stop(): void } {
  const shadow = createShadow({
    surveyIds: simulator.surveyIds,
    page: (surveyId, page) => simulator.peek(surveyId, page, "desc").records,
    pause: () => sleep(PER_PAGE, undefined, { ref: false }),
  });
  const stops = [
    simulator.onSurveyList(() => void shadow.poll()),
    simulator.onChange(({ kind, surveyId, responseId, at }) => {
      if (kind === "completed") shadow.completed(surveyId, responseId, at);
      else shadow.removed(surveyId, responseId);
    }),
  ];
  return {
    shadow,
    stop() {
      for (const stop of stops) stop();
    },
  };
}
