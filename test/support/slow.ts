import { type Books, type EntryState, type Mark, type PollingSource, sayWhyOpen } from "../../lib/polling/index.ts";
import type { MemoryWorld, PortCall } from "./memory-ports.ts";
import { HOUR, MINUTE, runTick, surveyOf, type TickOverrides } from "./survey.ts";

export const DAY = 24 * HOUR;
const NEVER = 10_000 * DAY;

/** A source whose only slow work are full passes, a day apart, at a request a tick. */
export const fullPassesOnly: Partial<PollingSource> = {
  rescan: { every: NEVER, full: DAY },
};

/** One without slow work: what it reads is news, or what a count has shown. */
export const newsOnly = {
  rescan: { every: NEVER, full: NEVER },
} satisfies Partial<PollingSource>;

/** One whose only slow work is the patrol. */
export const patrolOnly: Partial<PollingSource> = {
  rescan: { every: HOUR, full: NEVER },
};

export interface Ticks {
  source: Partial<PollingSource>;
  /** Called before each tick. */
  between?: (tick: number) => void;
  tick?: TickOverrides;
}

/** Ticks, a minute apart, until `done`; gives how many it took. */
export async function ticksUntil(
  world: MemoryWorld,
  done: () => boolean,
  { source, between, tick }: Ticks,
  most = 200,
): Promise<number> {
  for (let count = 1; count <= most; count += 1) {
    world.time.now += MINUTE;
    between?.(count);
    await runTick(world, { ...tick, source });
    if (done()) return count;
  }
  throw new Error(`not done after ${most} ticks`);
}

/** Lets the time of the next full pass come, and ticks until that has come to its end; gives how many ticks it took. */
export async function fullPass(world: MemoryWorld, ticks: Ticks = { source: fullPassesOnly }): Promise<number> {
  const { books, nextPass } = world.mark(1);
  world.time.now = Math.max(world.time.now, nextPass ?? 0);
  const was = { closedAt: books?.closedAt, nextPass };
  return await ticksUntil(
    world,
    () => {
      const mark = world.mark(1);
      const ended = mark.books?.closedAt !== was.closedAt || mark.nextPass !== was.nextPass;
      return ended && mark.pass === undefined;
    },
    ticks,
  );
}

/** The books of a survey, which must have been closed by its last full pass. */
export function closedBooks(world: MemoryWorld, surveyId = 1): Books {
  const { books, booksOpen } = world.mark(surveyId);
  if (books === undefined || booksOpen !== undefined)
    throw new Error(`the books are open: ${booksOpen && sayWhyOpen(booksOpen)}`);
  return books;
}

const classes: Record<EntryState, keyof Books> = {
  emitted: "emitted",
  "before-floor": "beforeFloor",
  open: "open",
  held: "held",
  waiting: "waiting",
  quarantined: "quarantined",
  refused: "refused",
};

/** The figures that books of a list that holds still must show: what is listed, by the state in the ledger. */
export function truthOf(world: MemoryWorld, surveyId = 1): Partial<Books> {
  const { records, counts } = surveyOf(world, surveyId);
  const ids = new Set(records.map((record) => (record as { responseId: number }).responseId));
  const truth = { listed: ids.size, emitted: 0, beforeFloor: 0, open: 0, held: 0, waiting: 0, quarantined: 0 };
  for (const id of ids) {
    const entry = world.entry(surveyId, id);
    if (entry !== undefined) truth[classes[entry.state] as keyof typeof truth] += 1;
  }
  return { ...truth, deficit: Number(counts.responses) - ids.size };
}

/** Takes responses out of the list. */
export function remove(world: MemoryWorld, ids: Iterable<number>, surveyId = 1): void {
  const survey = surveyOf(world, surveyId);
  const gone = new Set(ids);
  survey.records = survey.records.filter((record) => !gone.has((record as { responseId: number }).responseId));
}

/** Changes the mark under its lease, as a process that was killed at a bad moment leaves it. */
export async function changeMark(world: MemoryWorld, change: (mark: Mark) => void, surveyId = 1): Promise<void> {
  const lease = await world.ports.state.acquire(surveyId, "test", MINUTE);
  if (lease === undefined) throw new Error("the survey is being polled");
  change(lease.mark);
  await world.ports.state.release(lease, lease.mark);
}

/** Calls of the service for pages, of one order. */
export function readsOf(world: MemoryWorld, order: "asc" | "desc"): PortCall[] {
  return world.calls.filter(({ operation, args }) => operation === "page" && args[2] === order);
}
