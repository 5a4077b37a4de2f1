import pLimit from "p-limit";
import { confirm } from "../contents/confirm.ts";
import type { PollContext } from "../context.ts";
import { type EmitCounts, noEmits } from "../model/emit-counts.ts";
import type { Candidate } from "./candidate.ts";
import { inGroups } from "./in-groups.ts";
import { type Prepared, prepare } from "./prepare.ts";
import { batchLength, isFull, MOST_IN_VAIN, publishBatch, type Ready } from "./publish-batch.ts";

// While some responses wait for their metrics, pages are read, events go out and the ledger is written.

/** Responses of a page that go on together: on a slow service a whole page takes longer than a process has, and would begin anew each time. */
const TOGETHER = 10;

export interface PipelineOptions {
  /** Responses between their page and the ledger. */
  mostOnTheWay: number;
  /** Requests to the bus in flight: for each of them that is cut off, ten events may come twice. */
  publishesAtOnce: number;
  /** Whether it is certain beforehand that the responses are whole. */
  isProved: boolean;
}

/** Brings the responses of page after page to the bus, in full batches. */
export interface Pipeline {
  /** Takes the responses of one page; resolves when there is room for more. Throws what failed of earlier ones. */
  take(page: number, candidates: Candidate[]): Promise<void>;
  /** Waits until all that was taken has been begun. Throws what failed of it. */
  begun(): Promise<void>;
  /** Does what publishes by itself, as one of the requests in flight. Throws what failed of earlier ones. */
  beside<T>(work: () => Promise<T>): Promise<T>;
  /** The last page up to which all that was taken is in the state; undefined before the first. */
  settledTo(): number | undefined;
  /** Waits until everything is in the state. Throws the first thing that failed. */
  end(): Promise<EmitCounts>;
}

/** Some responses of one page. */
interface Chunk {
  /** The page up to which all is settled with it. */
  page: number;
  /** Its responses that are not in the state yet. */
  left: number;
  /** Whether something of it is held or left: the stream comes back to it. */
  held: boolean;
}

interface Item {
  ready: Ready;
  chunk: Chunk;
}

export function createPipeline(ctx: PollContext, options: PipelineOptions): Pipeline {
  const { mostOnTheWay, publishesAtOnce, isProved } = options;
  const counts = noEmits();
  const limit = pLimit(publishesAtOnce);
  const sending = new Set<Promise<void>>();
  /** In the order of their pages, from the first one that is not settled. */
  const chunks: Chunk[] = [];
  const buffer: Item[] = [];
  let onTheWay = 0;
  let settled: number | undefined;
  let stuck = false;
  let inVain = 0;
  let failed: { error: unknown } | undefined;
  let entering: Promise<void> = Promise.resolve();
  /** One for each chunk. Whatever has failed: nothing of a page is on its way any more when the pipeline has ended. */
  const underWay = new Set<Promise<void>>();
  let moved: () => void = () => undefined;

  const fail = (error: unknown): void => {
    failed ??= { error };
    moved();
  };

  function settle(chunk: Chunk, responses: number): void {
    chunk.left -= responses;
    onTheWay -= responses;
    while (chunks[0] !== undefined && chunks[0].left === 0 && !stuck) {
      const { held, page } = chunks[0];
      // The stream has to come back to it.
      if (held) stuck = true;
      else {
        settled = page;
        chunks.shift();
      }
    }
    moved();
  }

  function takeIn(chunk: Chunk, group: Prepared): void {
    if (failed !== undefined) return;
    counts.waiting += group.waiting;
    counts.left += group.left;
    chunk.held ||= group.left > 0;
    buffer.push(...group.ready.map((event) => ({ ready: event, chunk })));
    settle(chunk, group.candidates - group.ready.length);
    sendFull(false);
  }

  async function send(batch: Item[]): Promise<void> {
    // Nothing more is published before what the ledger has not taken is in it: one request more, and more than those in flight are repeated.
    if (failed !== undefined || (ctx.mark.pending ?? []).length > 0) return;
    const { published, quarantined, left } = await publishBatch(
      ctx,
      batch.map((item) => item.ready),
    );
    counts.emitted += published;
    counts.quarantined += quarantined;
    counts.left += left.length;
    for (const { ready, chunk } of batch) {
      if (left.includes(ready)) chunk.held = true;
      settle(chunk, 1);
    }
    inVain = left.length === batch.length ? inVain + 1 : 0;
    if (inVain >= MOST_IN_VAIN) throw ctx.failure;
  }

  function begin(page: number, candidates: Candidate[], held: boolean): void {
    const chunk: Chunk = { page, left: candidates.length, held };
    chunks.push(chunk);
    onTheWay += candidates.length;
    const taken = takeAll(chunk, candidates)
      .catch(fail)
      .finally(() => underWay.delete(taken));
    underWay.add(taken);
  }

  async function takeAll(chunk: Chunk, candidates: Candidate[]): Promise<void> {
    // A chunk of none is done with at once.
    settle(chunk, 0);
    for await (const group of prepare(ctx, candidates)) takeIn(chunk, group);
  }

  async function enter(page: number, candidates: Candidate[]): Promise<void> {
    // Before any of them goes out: what some show of how records lie holds for the whole page, and for all that follow.
    const confirmed = isProved ? candidates : await confirm(ctx, candidates);
    const held = candidates.length - confirmed.length;
    counts.held += held;
    for (let i = 0; i === 0 || i < confirmed.length; i += TOGETHER) {
      const isLast = i + TOGETHER >= confirmed.length;
      begin(isLast ? page : page - 1, confirmed.slice(i, i + TOGETHER), isLast && held > 0);
      while (onTheWay > mostOnTheWay && failed === undefined) {
        await new Promise<void>((resolve) => {
          moved = resolve;
        });
      }
      if (failed !== undefined) return;
    }
  }

  function sendFull(rest: boolean): void {
    while (buffer.length > 0) {
      const waiting = buffer.map((item) => item.ready);
      const length = batchLength(waiting);
      if (!rest && length === buffer.length && !isFull(waiting)) return;
      const batch = buffer.splice(0, length);
      // Before the next one has its turn.
      const sent = limit(() => send(batch).catch(fail)).finally(() => sending.delete(sent));
      sending.add(sent);
    }
  }

  return {
    async take(page, candidates) {
      // One page at a time, while the next one is read.
      await entering;
      if (failed !== undefined) throw failed.error;
      entering = enter(page, candidates).catch(fail);
    },
    async begun() {
      await entering;
      if (failed !== undefined) throw failed.error;
    },
    beside: (work) =>
      limit(async () => {
        if (failed !== undefined) throw failed.error;
        return work();
      }),
    settledTo: () => settled,
    async end() {
      await entering;
      // What is slow to come keeps no batch waiting that is not full.
      for await (const _ of inGroups(ctx.ports.clock, [...underWay])) sendFull(true);
      sendFull(true);
      await Promise.all(sending);
      if (failed !== undefined) throw failed.error;
      counts.found = counts.emitted + counts.waiting + counts.quarantined;
      return counts;
    },
  };
}
