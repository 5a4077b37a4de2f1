import { pause } from "../local/pause.ts";
import { applyChange, type Change, copyOf, emptySnapshot, type Ground, keep, type Snapshot } from "./changes.ts";

/** The frames that go to a page at once. `id` is where it goes on after that. */
export type Frame =
  | { id: string; event: "snapshot"; data: Snapshot }
  | { id: string; event: "delta"; data: Change[] }
  | { id: string; event: "beat"; data: { at: number } };

export type Feed = ReturnType<typeof createFeed>;

export const FEED = {
  /** Changes from which a page that was away can go on. */
  ring: 10_000,
  /** Milliseconds between two deltas, at least. */
  deltaEvery: 100,
  /** Milliseconds after which a page is told that the server lives. */
  beatEvery: 2_000,
} as const;

/** Events in one delta: no page shows more. */
const MOST_EVENTS = 1_000;

export function createFeed(ground: Ground) {
  const shown = emptySnapshot(ground);
  const ring: Change[] = [];
  /** Number of the last change; the first is 1. */
  let last = 0;
  let readers = 0;
  let news = Promise.withResolvers<void>();

  const idAt = (number: number): string => `${ground.run}.${number}`;
  const since = (number: number): Change[] | undefined => {
    const missing = last - number;
    return missing > Math.min(ring.length, FEED.ring) ? undefined : ring.slice(ring.length - missing);
  };

  /** The number in the id of a frame of this run that the ring still reaches. */
  function placeOf(id: string | undefined): number | undefined {
    const [run, number] = (id ?? "").split(".");
    if (run !== ground.run || !/^\d+$/.test(number ?? "")) return undefined;
    return Number(number) <= last && since(Number(number)) !== undefined ? Number(number) : undefined;
  }

  /**
   * Frames for one page, until the signal aborts: where it stopped reading, or all of it, then what changes.
   *
   * @param lastId the id of the last frame that it has had
   */
  async function* frames(lastId: string | undefined, signal: AbortSignal): AsyncGenerator<Frame> {
    let sent = placeOf(lastId);
    let sentAt = 0;
    readers += 1;
    try {
      while (!signal.aborted) {
        const changes = sent === undefined ? undefined : since(sent);
        const id = idAt(last);
        if (changes === undefined) yield { id, event: "snapshot", data: copyOf(shown) };
        else if (changes.length > 0) yield { id, event: "delta", data: shortened(changes) };
        else if (Date.now() - sentAt >= FEED.beatEvery) yield { id, event: "beat", data: { at: Date.now() } };
        if (changes === undefined || changes.length > 0 || Date.now() - sentAt >= FEED.beatEvery) sentAt = Date.now();
        sent = Number(id.slice(id.lastIndexOf(".") + 1));
        await pause(FEED.deltaEvery, signal);
        if (sent === last)
          await Promise.race([news.promise, pause(Math.max(0, sentAt + FEED.beatEvery - Date.now()), signal)]);
      }
    } finally {
      readers -= 1;
    }
  }

  return {
    tell(change: Change): void {
      applyChange(shown, change);
      keep(ring, change, FEED.ring);
      last += 1;
      news.resolve();
      news = Promise.withResolvers();
    },
    snapshot: (): Snapshot => copyOf(shown),
    frames,
    readers: () => readers,
  };
}

/** Of many events only the last, and of what replaces what was before only the last of each. */
function shortened(changes: Change[]): Change[] {
  const keyOf = (change: Change): string | undefined => {
    if (change.kind === "activity") return `activity ${change.survey}`;
    if (change.kind === "incident") return `incident ${change.incident.id}`;
    return change.kind === "now" ? Object.keys(change.of).join() : undefined;
  };
  const latest = new Map<string, Change>();
  for (const change of changes) {
    const key = keyOf(change);
    if (key !== undefined) latest.set(key, change);
  }
  let events = changes.reduce((count, { kind }) => (kind === "event" ? count + 1 : count), 0);
  return changes.filter((change) => {
    if (change.kind === "event") {
      events -= 1;
      return events < MOST_EVENTS;
    }
    const key = keyOf(change);
    return key === undefined || latest.get(key) === change;
  });
}
