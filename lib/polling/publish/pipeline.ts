import { prove } from "../contents/prove.ts";
import type { PollContext } from "../context.ts";
import { noCounts, type PollCounts } from "../model/poll-counts.ts";
import { type Candidate, oldestFirst } from "./candidate.ts";
import { inGroups } from "./in-groups.ts";
import { type Prepared, prepare } from "./prepare.ts";
import { batchLength, isFull, MOST_IN_VAIN, noOutcome, publishBatch, type Ready } from "./publish-batch.ts";

// While some responses wait for their metrics, pages are read, events go out and the ledger is written.

/** Responses of a page that go on together. On a slow service a whole page takes longer than a process has, and would begin anew each time. */
const TOGETHER = 10;

/** Brings the responses of page after page to the bus, in full batches. */
export interface Pipeline {
  /**
   * Takes the responses of one page; resolves when there is room for more. Once they and all before them are settled a walk may go on at `position`. Throws the
   * failure of an earlier one.
   */
  take(position: number, candidates: Candidate[]): Promise<void>;
  /** Waits until all that was taken has been begun. Throws the first failure among it. */
  begun(): Promise<void>;
  /** The last position up to which all that was taken is settled; undefined before the first. */
  settledTo(): number | undefined;
  /** Waits until everything is in the state. Throws the first thing that failed. */
  end(): Promise<PollCounts>;
}

/** Some responses of one page. */
interface Chunk {
  /** Where a walk may go on once it is settled; absent where more of the page follows. */
  position: number | undefined;
  /** Responses of the chunk that are not in the state yet. */
  open: number;
  /** Whether something of it is left: the walk comes back to it. */
  isLeft: boolean;
}

interface Item {
  ready: Ready;
  chunk: Chunk;
}

/** The pipeline at a moment. */
interface Line {
  ctx: PollContext;
  mostOnTheWay: number;
  counts: PollCounts;
  sending: Set<Promise<void>>;
  /** In the order of their pages, from the first one that is not settled. */
  chunks: Chunk[];
  /** Events that wait for a batch to be full. */
  buffer: Item[];
  onTheWay: number;
  settledTo: number | undefined;
  /** Whether something was left: no later position counts as settled. */
  isStuck: boolean;
  /** Batches in a row of which the bus took nothing. */
  inVain: number;
  failed: { error: unknown } | undefined;
  /** The responses taken last, while they are being begun. */
  entering: Promise<void>;
  /** One for each chunk. Whatever has failed, nothing of a page is on its way any more when the pipeline has ended. */
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
    sending: new Set(),
    chunks: [],
    buffer: [],
    onTheWay: 0,
    settledTo: undefined,
    isStuck: false,
    inVain: 0,
    failed: undefined,
    entering: Promise.resolve(),
    underWay: new Set(),
    moved: () => undefined,
  };
  return {
    async take(position, candidates) {
      // One page at a time, while the next one is read.
      await line.entering;
      if (line.failed !== undefined) throw line.failed.error;
      line.entering = enter(line, position, candidates).catch((error: unknown) => fail(line, error));
    },
    async begun() {
      await line.entering;
      if (line.failed !== undefined) throw line.failed.error;
    },
    settledTo: () => line.settledTo,
    async end() {
      const { counts } = line;
      await line.entering;
      // A slow response keeps no batch waiting that is not full.
      for await (const _ of inGroups(ctx.ports.clock, [...line.underWay])) sendFull(line, true);
      sendFull(line, true);
      await Promise.all(line.sending);
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
  const { ctx, counts } = line;
  // Proofs come before any of them goes out: how records lie, as some show it, holds for the whole page and for all pages that follow.
  const { proved, held } = await prove(ctx, candidates);
  proved.sort(oldestFirst);
  const left = countNew(candidates) - countNew(proved) - held.length;
  counts.held += held.length;
  counts.left += left;
  for (let i = 0; i === 0 || i < proved.length; i += TOGETHER) {
    const isLast = i + TOGETHER >= proved.length;
    begin(line, isLast ? position : undefined, proved.slice(i, i + TOGETHER), isLast && left > 0);
    while (line.onTheWay > line.mostOnTheWay && line.failed === undefined) {
      await new Promise<void>((resolve) => {
        line.moved = resolve;
      });
    }
    if (line.failed !== undefined) return;
  }
}

const countNew = (candidates: Candidate[]): number =>
  candidates.filter(({ replaces }) => replaces === undefined).length;

function begin(line: Line, position: number | undefined, candidates: Candidate[], isLeft: boolean): void {
  const chunk: Chunk = { position, open: candidates.length, isLeft };
  line.chunks.push(chunk);
  line.onTheWay += candidates.length;
  const taken = takeAll(line, chunk, candidates)
    .catch((error: unknown) => fail(line, error))
    .finally(() => line.underWay.delete(taken));
  line.underWay.add(taken);
}

async function takeAll(line: Line, chunk: Chunk, candidates: Candidate[]): Promise<void> {
  // A chunk of none is done with at once.
  settle(line, chunk, 0);
  for await (const group of prepare(line.ctx, candidates)) takeIn(line, chunk, group);
}

function takeIn(line: Line, chunk: Chunk, group: Prepared): void {
  if (line.failed !== undefined) return;
  line.counts.waiting += group.waiting;
  line.counts.left += group.left;
  chunk.isLeft ||= group.left > 0;
  line.buffer.push(...group.ready.map((event) => ({ ready: event, chunk })));
  settle(line, chunk, group.candidates - group.ready.length);
  sendFull(line, false);
}

/** Notes that so many responses of a chunk are in the state; `settledTo` goes up to the first chunk that is not. */
function settle(line: Line, chunk: Chunk, responses: number): void {
  chunk.open -= responses;
  line.onTheWay -= responses;
  for (let [first] = line.chunks; first?.open === 0 && !line.isStuck; [first] = line.chunks) {
    // The walk has to come back to it.
    if (first.isLeft) line.isStuck = true;
    else {
      line.settledTo = first.position ?? line.settledTo;
      line.chunks.shift();
    }
  }
  line.moved();
}

/** Sends what fills a request to the bus; `rest`: what does not as well. */
function sendFull(line: Line, rest: boolean): void {
  const { buffer, sending } = line;
  while (buffer.length > 0) {
    const waiting = buffer.map((item) => item.ready);
    const length = batchLength(waiting);
    if (!rest && length === buffer.length && !isFull(waiting)) return;
    const batch = buffer.splice(0, length);
    // Before the next one has its turn.
    const sent = line.ctx
      .publishing(() => send(line, batch).catch((error: unknown) => fail(line, error)))
      .finally(() => sending.delete(sent));
    sending.add(sent);
  }
}

async function send(line: Line, batch: Item[]): Promise<void> {
  const { ctx, counts } = line;
  // Nothing more is published while the ledger has not taken everything: one request more would repeat more than those in flight.
  const isHeldUp = line.failed !== undefined || (ctx.mark.pending ?? []).length > 0;
  const ready = batch.map((item) => item.ready);
  const outcome = isHeldUp ? { ...noOutcome, left: ready } : await publishBatch(ctx, ready);
  const { published, replaced, refused, waiting, left } = outcome;
  counts.emitted += published;
  counts.repaired += replaced;
  counts.refused += refused;
  counts.waiting += waiting;
  counts.left += left.length;
  for (const one of batch) {
    if (left.includes(one.ready)) one.chunk.isLeft = true;
    settle(line, one.chunk, 1);
  }
  if (isHeldUp) return;
  line.inVain = outcome.failure === undefined || published + replaced + refused > 0 ? 0 : line.inVain + 1;
  if (line.inVain >= MOST_IN_VAIN) throw outcome.failure;
}
