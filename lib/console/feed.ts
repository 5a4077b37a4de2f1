import { pause } from "../local/pause.ts";
import { applied, type Change, emptySnapshot, type Ground, type Snapshot } from "./changes.ts";

/** The frames that go to a page, one at a time. */
export type Frame =
  | { event: "snapshot"; data: Snapshot }
  | { event: "delta"; data: Change[] }
  | { event: "beat"; data: { at: number } };

export type Feed = ReturnType<typeof createFeed>;

export const FEED = {
  /** Milliseconds between two frames, at least. */
  deltaEvery: 100,
  /** Milliseconds after which a page is told that the server lives. */
  beatEvery: 2_000,
  /** Changes that one delta may hold: above that all is told anew. */
  most: 1_000,
} as const;

export function createFeed(ground: Ground) {
  let shown = emptySnapshot(ground);
  /** Of each page the changes that it has not been told yet. */
  const readers = new Set<Change[]>();

  /** Frames for one page, until the signal aborts: all there is, then what changes. */
  async function* frames(signal: AbortSignal): AsyncGenerator<Frame> {
    const untold: Change[] = [];
    readers.add(untold);
    let toldAt = Date.now();
    try {
      yield { event: "snapshot", data: shown };
      while (!signal.aborted) {
        await pause(FEED.deltaEvery, signal);
        const data = untold.splice(0);
        if (data.length === 0 && Date.now() - toldAt < FEED.beatEvery) continue;
        toldAt = Date.now();
        if (data.length > FEED.most) yield { event: "snapshot", data: shown };
        else if (data.length > 0) yield { event: "delta", data };
        else yield { event: "beat", data: { at: toldAt } };
      }
    } finally {
      readers.delete(untold);
    }
  }

  return {
    tell(change: Change): void {
      shown = applied(shown, change);
      // A page that takes nothing for long gets it all at once.
      for (const untold of readers) if (untold.length <= FEED.most) untold.push(change);
    },
    snapshot: (): Snapshot => shown,
    frames,
    readers: () => readers.size,
  };
}
