import { computed, effect, signal } from "@preact/signals";
import type { EventRow } from "../changes.ts";
import { act, isRefused } from "./ask.ts";
import { go, place } from "./place.ts";
import { events, filtered, matching, snapshot } from "./state.ts";

/** The rows that are shown during a pause; null while it is live. */
const frozen = signal<{ rows: EventRow[]; last: number } | null>(null);

export const isPaused = computed(() => frozen.value !== null);
export const rows = computed(() => frozen.value?.rows ?? filtered.value);
/** Events that have come since it was paused. */
export const news = computed(() => {
  const since = frozen.value?.last;
  if (since === undefined) return 0;
  const found = filtered.value.findIndex(({ number }) => number <= since);
  return found < 0 ? filtered.value.length : found;
});

export function pause(): void {
  frozen.value ??= { rows: filtered.peek(), last: events.peek().at(-1)?.number ?? 0 };
}

export function resume(): void {
  frozen.value = null;
}

/** Number of the row that was chosen: a repeat has the event id of another row. */
const chosen = signal<number | null>(null);

/** Where the chosen event stands; -1 where it does not. */
export function indexOfChosen(all: readonly EventRow[]): number {
  const { event } = place.value;
  if (event === "") return -1;
  const exact = all.findIndex(({ number, eventId }) => number === chosen.value && eventId === event);
  return exact < 0 ? all.findIndex(({ eventId }) => eventId === event) : exact;
}

export function choose({ number, eventId }: EventRow, panel = place.peek().panel): void {
  chosen.value = number;
  go({ event: eventId, panel });
}

export function move(by: number): void {
  pause();
  const all = rows.peek();
  const at = indexOfChosen(all);
  const next = all[at < 0 ? 0 : Math.min(all.length - 1, Math.max(0, at + by))];
  if (next !== undefined) choose(next);
}

let asked = "";
// Another filter, or another run: what was frozen says nothing any more.
let filters = "";
effect(() => {
  const { q, survey } = place.value;
  const now = JSON.stringify([q, survey, snapshot.value?.run]);
  if (now !== filters) {
    frozen.value = null;
    asked = "";
  }
  filters = now;
});

// A pattern is matched by the server, which has the events whole, whenever there are new ones: at most once a second.
const MATCH_EVERY = 1_000;
let isAsking = false;
export function keepMatching(): void {
  setInterval(() => void matchPattern(), MATCH_EVERY);
  effect(() => {
    if (place.value.q.trim().startsWith("{")) void matchPattern();
    else matching.value = null;
  });
}

async function matchPattern(): Promise<void> {
  const pattern = place.peek().q.trim();
  if (!pattern.startsWith("{") || isAsking) return;
  const last = events.peek().at(-1)?.number ?? 0;
  if (asked === `${last} ${pattern}`) return;
  asked = `${last} ${pattern}`;
  isAsking = true;
  try {
    const parsed: unknown = JSON.parse(pattern);
    const found = await act<{ numbers: number[] }>("/match", parsed);
    matching.value = isRefused(found)
      ? { pattern, numbers: new Set(), error: found.error }
      : { pattern, numbers: new Set(found.numbers), error: "" };
  } catch {
    matching.value = { pattern, numbers: new Set(), error: "This is no JSON yet." };
  } finally {
    isAsking = false;
  }
}
