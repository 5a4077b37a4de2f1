import { setTimeout as sleep } from "node:timers/promises";
import type { ListedRecord } from "./responses.ts";
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
  /** Whether the real poller has sent its event, and has told that it was deleted. */
  isSent: boolean;
  isDeletionTold: boolean;
}

/**
 * - `late`: it completed late and stands below the page where the reading ends, or its date is before the cursor
 * - `tie`: it completed in the very second of the cursor
 * - `moved`: it slipped from a page not yet read to one already read
 */
export type Why = "late" | "tie" | "moved";

/** Both pollers over the same responses: each that is there was found, missed or is on its way. */
export interface ShadowView {
  /** Responses completed since it began that are still there: found, missed and on their way add up to them. */
  completed: number;
  cursor: Fates;
  ours: Fates;
  /** The last of those that it has missed, newest first. */
  misses: Followed[];
}

export interface Fates {
  found: number;
  missed: number;
  onTheWay: number;
  /** Sent, deleted since, and nobody was told. */
  deleted: number;
  twice: number;
}

/** Records on a full page. */
const FULL = 100;
/** A response that stands in so many of its polls without being found is missed. */
const PATIENCE = 2;
/** Misses that are told one by one. */
const TOLD = 100;

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
 *
 * @param pause lasts as long as a request for a page
 */
export function createShadow(service: Pick<Simulator, "surveyIds" | "peek" | "onChange">, pause: () => Promise<void>) {
  const cursors = new Map<number, string>();
  const followed = new Map<string, Followed>();
  let polls = 0;
  let isPolling = false;

  service.onChange(({ kind, surveyId, responseId, at }) => {
    const key = responseKey({ surveyId, responseId });
    const known = followed.get(key);
    if (kind === "removed" && known !== undefined) known.isDeleted = true;
    // Before its first poll there is no cursor yet: that is where history begins for it.
    if (kind === "removed" || !cursors.has(surveyId)) return;
    const one = { surveyId, responseId, completedAt: at, times: 0, polls: 0 };
    const flags = { isDeleted: false, isSent: false, isDeletionTold: false };
    followed.set(key, { ...one, ...flags, fate: "onTheWay", why: "late" });
  });

  const pageOf = (surveyId: number, page: number) => service.peek(surveyId, page, "desc").records.map(readRecord);

  /** Reads a survey down to its cursor. */
  async function read(surveyId: number, cursor: string): Promise<Reading> {
    const leftOut = new Map<number, string>();
    let newest = cursor;
    let last: number | undefined;
    for (let page = 1; ; page += 1) {
      const records = pageOf(surveyId, page);
      let isDown = records.length < FULL;
      for (const { responseId, date } of records) {
        if (date > newest) newest = date;
        const one = followed.get(responseKey({ surveyId, responseId }));
        if (date <= cursor) {
          isDown = true;
          leftOut.set(responseId, date);
        } else if (responseId !== last && one !== undefined) {
          one.fate = "found";
          one.times += 1;
        }
        last = responseId;
      }
      if (isDown) {
        cursors.set(surveyId, newest);
        return { pages: page, leftOut };
      }
      await pause();
    }
  }

  async function pollSurvey(surveyId: number): Promise<void> {
    const cursor = cursors.get(surveyId);
    if (cursor === undefined) {
      const dates = pageOf(surveyId, 1).map(({ date }) => date);
      cursors.set(surveyId, dates.sort().at(-1) ?? "");
      return;
    }
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
    const isRead = Array.from({ length: pages }, (_, i) => pageOf(surveyId, i + 1)).flat();
    return isRead.some((record) => record.responseId === responseId) ? "moved" : "late";
  }

  return {
    /** Those that it follows, by `responseKey`. One that is on its way and deleted nobody waits for. */
    followed: followed as ReadonlyMap<string, Followed>,
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
    fate: (surveyId: number, responseId: number) => followed.get(responseKey({ surveyId, responseId }))?.fate,
    /** The real poller has sent an event. */
    event({ type, ...of }: { type: string; surveyId: number | null; responseId: number | null }): void {
      const one = followed.get(responseKey(of));
      if (one !== undefined && type === "response.completed") one.isSent = true;
      if (one !== undefined && type === "response.deleted") one.isDeletionTold = true;
    },
    /** @param repeated events of the real poller that have come twice */
    view(repeated: number): ShadowView {
      const there = [...followed.values()].filter(({ isDeleted }) => !isDeleted);
      const gone = [...followed.values()].filter(({ isDeleted }) => isDeleted);
      const number = (of: Followed[], isMeant: (one: Followed) => boolean): number => of.filter(isMeant).length;
      return {
        completed: there.length,
        cursor: {
          found: number(there, ({ fate }) => fate === "found"),
          missed: number(there, ({ fate }) => fate === "missed"),
          onTheWay: number(there, ({ fate }) => fate === "onTheWay"),
          deleted: number(gone, ({ fate }) => fate === "found"),
          twice: number([...there, ...gone], ({ times }) => times > 1),
        },
        ours: {
          found: number(there, ({ isSent }) => isSent),
          missed: 0,
          onTheWay: number(there, ({ isSent }) => !isSent),
          deleted: number(gone, ({ isSent, isDeletionTold }) => isSent && !isDeletionTold),
          twice: repeated,
        },
        misses: there
          .filter(({ fate }) => fate === "missed")
          .slice(-TOLD)
          .reverse(),
      };
    },
  };
}

export function responseKey(of: { surveyId: number | null; responseId: number | null }): string {
  return `${of.surveyId}/${of.responseId}`;
}

/** One that is open has no date, and is before every cursor. */
function readRecord({ responseId, dateCompleted, completed }: ListedRecord): { responseId: number; date: string } {
  const date = completed === 1 && typeof dateCompleted === "string" ? dateCompleted : "";
  return { responseId: Number(responseId), date };
}

/** Milliseconds from one page to the next, as of a service that is near. */
const PER_PAGE = 25;

/** The poller with a cursor, which polls whenever the service is asked for its survey list. */
export function runShadow(simulator: Simulator): Shadow {
  const shadow = createShadow(simulator, () => sleep(PER_PAGE, undefined, { ref: false }));
  simulator.onSurveyList(() => void shadow.poll());
  return shadow;
}
