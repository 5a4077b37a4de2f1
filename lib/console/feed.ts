import { pause } from "../local/pause.ts";
import { type Change, emptySnapshot, type Ground, type Snapshot, withChange } from "./changes.ts";

export type Feed = ReturnType<typeof createFeed>;

/** Milliseconds between two frames, at least, and after which a page is told that the server lives. */
export const FRAME_EVERY = 100;
const BEAT_EVERY = 2_000;

export function createFeed(ground: Ground) {
  let shown = emptySnapshot(ground);
  /** For each page what it has not been told yet. */
  const readers = new Set<{ untold: Change }>();

  /** Frames for one page, until the signal aborts: all there is, then what changes. An empty one says that the server lives. */
  async function* frames(signal: AbortSignal): AsyncGenerator<Change> {
    const reader: { untold: Change } = { untold: shown };
    readers.add(reader);
    try {
      for (let toldAt = 0; !signal.aborted; await pause(FRAME_EVERY, signal)) {
        const { untold } = reader;
        if (Object.keys(untold).length === 0 && Date.now() - toldAt < BEAT_EVERY) continue;
        reader.untold = {};
        toldAt = Date.now();
        yield untold;
      }
    } finally {
      readers.delete(reader);
    }
  }

  return {
    tell(change: Change): void {
      shown = withChange(shown, change);
      for (const reader of readers) reader.untold = withChange(reader.untold, change);
    },
    snapshot: (): Snapshot => shown,
    frames,
    readers: () => readers.size,
  };
}
