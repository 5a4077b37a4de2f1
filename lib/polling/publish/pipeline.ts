import { prove } from "../contents/prove.ts";
import type { PollContext } from "../context.ts";
import { orLeave } from "../errors.ts";
import { noteFound } from "../model/mark.ts";
import { addCounts, noCounts, type PollCounts } from "../model/poll-counts.ts";
import { type Candidate, isNew, oldestFirst } from "./candidate.ts";
import { note, prepare } from "./prepare.ts";
import { batchLength, isFull, MOST_IN_VAIN, publishBatch, type Ready } from "./publish-batch.ts";

// While some responses wait for their metrics, pages are read, events go out and the ledger is written.

/** Milliseconds: at the end a batch that is not full waits no longer for responses that are slow. */
const PERIOD = 1_000;

/** Brings the responses of page after page to the bus, in full batches. */
export interface Pipeline {
  /**
   * Takes the responses of one page; resolves when all of them are on their way. Once they and all before them are settled a walk may go on at `position`. Throws
   * the first failure so far.
   */
  take(position: number, candidates: Candidate[]): Promise<void>;
  /** The last position up to which all that was taken is settled; undefined before the first. */
  settledTo(): number | undefined;
  /** Waits until everything is in the state. Throws the first thing that failed. */
  end(): Promise<PollCounts>;
}

/** The responses of one page. */
interface Page {
  /** Where a walk may go on once it is settled. */
  position: number;
  /** Responses that are not in the state yet. */
  open: number;
  /** Whether something of it is left: the walk comes back to it. */
  isLeft: boolean;
}

interface Item {
  ready: Ready;
  page: Page;
  /** The place among all that was taken: page after page, and of each the oldest first. */
  place: number;
}

/** The pipeline at a moment. */
interface Line {
  ctx: PollContext;
  mostOnTheWay: number;
  counts: PollCounts;
  /** In their order, from the first one that is not settled. */
  pages: Page[];
  /** Events that wait for a batch to be full. */
  buffer: Item[];
  /** Responses taken so far, and those of them that are not settled. */
  taken: number;
  onTheWay: number;
  settledTo: number | undefined;
  /** Whether something was left: no later position counts as settled. */
  isStuck: boolean;
  /** Batches in a row of which the bus took nothing. */
  inVain: number;
  failed: { error: unknown } | undefined;
  /** Work that the end waits for: nothing is on its way any more then, whatever has failed. */
  underWay: Set<Promise<void>>;
  /** Wakes whoever waits for room. */
  moved: () => void;
}

/** `mostOnTheWay`: responses between their page and the ledger. */
export function createPipeline(ctx: PollContext, mostOnTheWay: number): Pipeline {
  const line: Line = {
    ctx,
    mostOnTheWay,
    counts: noCounts(),
    pages: [],
    buffer: [],
    taken: 0,
    onTheWay: 0,
    settledTo: undefined,
    isStuck: false,
    inVain: 0,
    failed: undefined,
    underWay: new Set(),
    moved: () => undefined,
  };
  return {
    async take(position, candidates) {
      await enter(line, position, candidates).catch((error: unknown) => fail(line, error));
      if (line.failed !== undefined) throw line.failed.error;
    },
    settledTo: () => line.settledTo,
    async end() {
      const { counts } = line;
      // fault: hanging-detail-blocks
      const stop = ctx.ports.clock.every(PERIOD, () => sendFull(line, true));
      while (line.underWay.size > 0 || line.buffer.length > 0) {
        await Promise.all(line.underWay);
        sendFull(line, true);
      }
      stop();
      // fault: bus-failure-swallowed
      if (line.failed !== undefined) throw line.failed.error;
      counts.found = counts.emitted + counts.waiting + counts.refused;
      return counts;
    },
  };
}

function fail(line: Line, error: unknown): void {
  line.failed ??= { error };
  line.moved();
}

/** Begins with the responses of a page, as there is room for them. */
async function enter(line: Line, position: number, candidates: Candidate[]): Promise<void> {
  if (line.failed !== undefined) return;
  // Proofs come before any of them goes out: how records lie, as some show it, holds for the whole page and for all pages that follow.
  const { proved, held } = await prove(line.ctx, candidates);
  const left = countNew(candidates) - countNew(proved) - held.length;
  addCounts(line.counts, { held: held.length, left, unproved: countReplaced(candidates) - countReplaced(proved) });
  const page: Page = { position, open: proved.length, isLeft: left > 0 };
  line.pages.push(page);
  // A page of none is done with at once.
  settle(line, page, 0);
  for (const candidate of proved.sort(oldestFirst)) {
    while (line.onTheWay >= line.mostOnTheWay && line.failed === undefined) {
      await new Promise<void>((resolve) => {
        line.moved = resolve;
      });
    }
    if (line.failed !== undefined) return;
    line.onTheWay += 1;
    line.taken += 1;
    goOn(line, begin(line, { candidate, page, place: line.taken }));
  }
}

const countNew = (candidates: Candidate[]): number =>
  candidates.filter(({ replaces }) => replaces === undefined).length;

const countReplaced = (candidates: Candidate[]): number => candidates.length - countNew(candidates);

/** Work that the end of the pipeline waits for. */
function goOn(line: Line, work: Promise<void>): void {
  const one = work.catch((error: unknown) => fail(line, error)).finally(() => line.underWay.delete(one));
  line.underWay.add(one);
}

/** Asks for the details of a response, and makes its event. */
async function begin(
  line: Line,
  { candidate, ...item }: Omit<Item, "ready"> & { candidate: Candidate },
): Promise<void> {
  const { ctx, counts } = line;
  const prepared = await orLeave(ctx, () => prepare(ctx, candidate));
  if (line.failed !== undefined) return;
  if (prepared !== undefined) await note(ctx, prepared);
  if (prepared?.kind === "ready") {
    line.buffer.push({ ready: prepared.ready, ...item });
    sendFull(line, false);
    return;
  }
  if (prepared?.kind === "waiting") {
    counts.waiting += 1;
    noteFound(ctx.mark, isNew(candidate) ? 1 : 0);
  }
  settle(line, item.page, 1, prepared === undefined);
}

/** Notes that so many responses of a page are in the state, or are left; `settledTo` goes up to the first page that is not settled. */
function settle(line: Line, page: Page, responses: number, isLeft = false): void {
  if (isLeft) line.counts.left += 1;
  page.isLeft ||= isLeft;
  page.open -= responses;
  line.onTheWay -= responses;
  for (let [first] = line.pages; first?.open === 0 && !line.isStuck; [first] = line.pages) {
    // The walk has to come back to it.
    if (first.isLeft) line.isStuck = true;
    else {
      line.settledTo = first.position;
      line.pages.shift();
    }
  }
  line.moved();
}

/** Sends what fills a request to the bus; `rest`: what does not as well. */
function sendFull(line: Line, rest: boolean): void {
  const { buffer } = line;
  buffer.sort((a, b) => a.place - b.place);
  while (buffer.length > 0) {
    const waiting = buffer.map((item) => item.ready);
    const length = batchLength(waiting);
    if (!rest && length === buffer.length && !isFull(waiting)) return;
    const batch = buffer.splice(0, length);
    // Before the next one has its turn.
    goOn(
      line,
      line.ctx.publishing(() => send(line, batch).catch((error: unknown) => fail(line, error))),
    );
  }
}

async function send(line: Line, batch: Item[]): Promise<void> {
  const { ctx, counts } = line;
  // Nothing more is published while the ledger has not taken everything: one request more would repeat more than those in flight.
  const isHeldUp = line.failed !== undefined || (ctx.mark.pending ?? []).length > 0;
  const outcome = isHeldUp
    ? undefined
    : await publishBatch(
        ctx,
        batch.map(({ ready }) => ready),
      );
  if (outcome !== undefined) addCounts(counts, outcome.counts);
  for (const { ready, page } of batch) settle(line, page, 1, outcome === undefined || outcome.left.includes(ready));
  if (outcome === undefined) return;
  const { emitted, repaired, refused } = outcome.counts;
  line.inVain = outcome.failure === undefined || emitted + repaired + refused > 0 ? 0 : line.inVain + 1;
  if (line.inVain >= MOST_IN_VAIN) throw outcome.failure;
}
