import { setTimeout as sleep } from "node:timers/promises";
import type { Simulator } from "./simulator.ts";

/** A response that has been completed since the poller with the cursor began. */
export interface Followed {
  surveyId: number;
  responseId: number;
  /** Epoch milliseconds. */
  completedAt: number;
  fate: "found" | "missed" | "onTheWay";
  /** How often it was given out. */
  times: number;
  /** Polls that began after it was completed and did not find it. */
  polls: number;
  /** Why it was not found, once a poll has not found it. */
  why: Why;
  isDeleted: boolean;
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

/** The findings of one poll of a survey. */
interface Reading {
  pages: number;
  /** Dates by response, of those that it did not take. */
  leftOut: Map<number, string>;
}

export type Shadow = ReturnType<typeof createShadow>;

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
export function createShadow(service: ShadowService) {
  const cursors = new Map<number, string>();
  const followed = new Map<string, Followed>();
  let polls = 0;
  let isPolling = false;

  function takeOut(surveyId: number, responseId: number): void {
    const one = followed.get(keyOf(surveyId, responseId));
    // One from before it began: nobody counts it.
    if (one === undefined) return;
    one.fate = "found";
    one.times += 1;
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
    const isLeft = (one: Followed): boolean => one.fate === "onTheWay" && !one.isDeleted;
    const there = [...followed.values()].filter((one) => one.surveyId === surveyId && isLeft(one));
    const reading = await read(surveyId, cursor);
    for (const one of there.filter(isLeft)) {
      one.polls += 1;
      if (one.polls === 1) one.why = whyNot(one, cursor, reading);
      if (one.polls >= PATIENCE) one.fate = "missed";
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
    /** Those that it follows, by `surveyId/responseId`. One that is on its way and deleted nobody waits for. */
    followed: followed as ReadonlyMap<string, Followed>,
    /** A response has been completed; `at` in epoch milliseconds. */
    completed(surveyId: number, responseId: number, at: number): void {
      // Before its first poll there is no cursor yet: that is where history begins for it.
      if (!cursors.has(surveyId)) return;
      const one = { surveyId, responseId, completedAt: at, times: 0, polls: 0, isDeleted: false };
      followed.set(keyOf(surveyId, responseId), { ...one, fate: "onTheWay", why: "late" });
    },
    /** A response is no longer there. */
    removed(surveyId: number, responseId: number): void {
      const one = followed.get(keyOf(surveyId, responseId));
      if (one !== undefined) one.isDeleted = true;
    },
    /** One poll of all surveys; nothing while one is under way. */
    async poll(): Promise<void> {
      if (isPolling) return;
      isPolling = true;
      try {
        for (const surveyId of service.surveyIds()) await pollSurvey(surveyId);
        polls += 1;
      } finally {
        isPolling = false;
      }
    },
    polls: () => polls,
    /** The fate of one response; undefined for one that it does not follow. */
    fate: (surveyId: number, responseId: number) => followed.get(keyOf(surveyId, responseId))?.fate,
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
export function runShadow(simulator: Simulator): Shadow {
  const shadow = createShadow({
    surveyIds: simulator.surveyIds,
    page: (surveyId, page) => simulator.peek(surveyId, page, "desc").records,
    pause: () => sleep(PER_PAGE, undefined, { ref: false }),
  });
  simulator.onSurveyList(() => void shadow.poll());
  simulator.onChange(({ kind, surveyId, responseId, at }) => shadow[kind](surveyId, responseId, at));
  return shadow;
}
