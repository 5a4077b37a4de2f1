import { endsWork, failureOf } from "../errors.ts";
import { isHistoryMet, placeOf } from "../model/phase.ts";
import type { PollingSource } from "../model/source.ts";
import type { Ports } from "../ports.ts";
import { seenBreakers, watchBreakers } from "../publish/under-breaker.ts";
import { catchUp } from "../routes/catch-up.ts";
import { pause } from "../routes/first-look.ts";
import { noteAllRead } from "../routes/patrol.ts";
import { addCounts, noCounts, type PollCounts, withheldOf } from "../routes/poll-counts.ts";
import { settleSuspects } from "../routes/suspects.ts";
import { checkOwnState } from "./own-state.ts";
import { pauseOf } from "./paused.ts";
import { isOutdated, noteBegun } from "./slices.ts";
import { withSurvey } from "./with-survey.ts";

export interface SliceRequest {
  ports: Ports;
  source: PollingSource;
  /** Fingerprint of the service's base URL. */
  service: string;
  surveyId: number;
  owner: string;
  /** Epoch milliseconds at which the next tick was to begin when the slice was queued. */
  until: number;
  /** The how many-th slice of the survey its message is. Absent: it is worked off whatever the mark says. */
  number?: number | undefined;
  /** Epoch milliseconds after which nothing new is begun. */
  deadline: number;
}

/**
 * What came of a slice; busy: someone else works on the survey; paused: the service wants to be left alone; outdated: another slice has
 * begun since this one was queued.
 */
export interface SliceSummary {
  surveyId: number;
  outcome: "done" | "busy" | "paused" | "outdated";
  emitted: number;
  waiting: number;
  /** New responses and records that were quarantined, refused by the bus or held. */
  withheld: number;
  /** Whether the catch-up goes on with another slice. */
  unfinished: boolean;
  /** What failed of some responses, which are left to a later slice. */
  failure?: { code: string; message: string };
}

/** Milliseconds: a slice is no longer, whatever the interval of the ticks. */
const LONGEST_SLICE = 60_000;
/** A shorter one is not worth its start: then the next tick finds the survey busy, once. */
const SHORTEST_SLICE = 1_000;
/** Milliseconds for which a survey that someone else works on is waited for, and between two attempts. */
const BUSY_FOR = 10_000;
const ASK_AGAIN = 500;
/**
 * Attempts in all, and milliseconds between two, where the state fails before the survey is reached: the message would be back after many
 * minutes only, and until then its mark says that it is on its way.
 */
const MOST_ATTEMPTS = 4;
const TRY_AGAIN = 2_000;
/** Share of the interval, and milliseconds at most, that are left before a tick for what is still on its way. */
const RESERVED_SHARE = 0.25;
const MOST_RESERVED = 5_000;

/**
 * One slice of a survey's catch-up, in a process beside the ticks. It ends before the next tick begins, which looks at the head of the
 * survey first and queues the next slice. A message that comes twice, late or for nothing does no harm: the lease and the mark decide.
 */
export async function catchUpSlice(request: SliceRequest): Promise<SliceSummary> {
  const tell = (error: unknown): ReturnType<typeof failureOf> => {
    const failure = failureOf(error);
    request.ports.observe({ kind: "survey failed", surveyId: request.surveyId, ...failure });
    return failure;
  };
  const { clock } = request.ports;
  let hasBegun = false;
  for (let attempts = 1; ; attempts += 1) {
    try {
      const { left, ...summary } = await workOff(request, () => {
        hasBegun = true;
      });
      // The others are done: another slice comes back to what was left.
      return left === undefined ? summary : { ...summary, failure: tell(left) };
    } catch (error) {
      const isLast = hasBegun || attempts >= MOST_ATTEMPTS || clock.now() + TRY_AGAIN >= request.deadline;
      if (isLast || endsWork(error)) {
        tell(error);
        throw error;
      }
      await pause(clock, TRY_AGAIN);
    }
  }
}

/** `onBegun` is called once the survey's mark is at hand, in which a failure is noted. */
async function workOff(request: SliceRequest, onBegun: () => void): Promise<SliceSummary & { left?: unknown }> {
  const { ports, source, surveyId } = request;
  const { state, clock } = ports;
  const account = await state.account();
  checkOwnState(account, request);
  const isPaused = pauseOf(request, account) !== undefined;
  const watch = watchBreakers(account.breakers);
  const shown = account.rows.get(surveyId)?.counts.filter((count) => count !== null) ?? [];
  let isContradicted = false;
  let isLate = false;
  let failure: unknown;
  const streamUntil = Math.min(request.deadline, sliceEnd(clock.now(), request.until, source.interval));
  const attempt = (): Promise<PollCounts | undefined> =>
    withSurvey(
      {
        ports,
        source,
        surveyId,
        owner: request.owner,
        deadline: request.deadline,
        streamUntil,
        sourceFloor: account.sourceFloor,
        firstTick: account.firstTick,
        listedCount: shown.length === 0 ? undefined : Math.max(...shown),
        shortPageEnds: account.shortPageEnds,
        watch,
      },
      async (ctx): Promise<PollCounts> => {
        const { mark } = ctx;
        onBegun();
        isLate = isOutdated(ctx, request.number);
        if (isLate) return noCounts();
        noteBegun(ctx);
        // Once the pause is over a tick queues another one.
        const place = placeOf(mark);
        if (place === undefined || isPaused) return noCounts();
        // A stream that has begun gets somewhere, however little time it has.
        if (clock.now() >= request.deadline) return { ...noCounts(), unfinished: true };
        const wasFirst = !isHistoryMet(mark);
        const caughtUp = await catchUp(ctx, place);
        addCounts(caughtUp, await settleSuspects(ctx));
        failure = ctx.failure;
        if (wasFirst && isHistoryMet(mark)) noteAllRead(ctx);
        isContradicted = ctx.shortPageEnds === false && account.shortPageEnds !== false;
        return caughtUp;
      },
    );
  let counts = await attempt();
  // A tick holds a survey for moments.
  const patientUntil = Math.min(streamUntil, clock.now() + BUSY_FOR);
  while (counts === undefined && clock.now() < patientUntil) {
    await pause(clock, ASK_AGAIN);
    counts = await attempt();
  }
  // A tick beside it may have seen the contrary of what seems so: only a contradiction is sure.
  const changes = { ...seenBreakers(watch), ...(isContradicted ? { shortPageEnds: false } : {}) };
  if (Object.keys(changes).length > 0) await state.saveAccount(changes);
  // In a pause too: the mark says that a slice is queued, and only who holds the lease can take that back.
  if (counts === undefined) return summary(surveyId, "busy", noCounts());
  if (isLate) return summary(surveyId, "outdated", noCounts());
  if (isPaused) return summary(surveyId, "paused", noCounts());
  return { ...summary(surveyId, "done", counts), ...(failure === undefined ? {} : { left: failure }) };
}

/** When a slice that begins now ends: before the next tick. One that begins late has missed ticks already. */
export function sliceEnd(now: number, until: number, interval: number): number {
  const distance = Math.max(interval, 2 * SHORTEST_SLICE);
  const reserved = Math.min(MOST_RESERVED, distance * RESERVED_SHARE);
  const missed = Math.max(0, Math.ceil((now + SHORTEST_SLICE + reserved - until) / distance));
  return Math.min(now + LONGEST_SLICE, until + missed * distance - reserved);
}

function summary(surveyId: number, outcome: SliceSummary["outcome"], counts: PollCounts): SliceSummary {
  const { emitted, waiting, unfinished } = counts;
  return { surveyId, outcome, emitted, waiting, withheld: withheldOf(counts), unfinished };
}
