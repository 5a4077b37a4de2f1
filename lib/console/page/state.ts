import { computed, signal } from "@preact/signals";
import {
  applyChange,
  type Change,
  copyOf,
  type EventRow,
  type Incident,
  type Snapshot,
  surveyKey,
} from "../changes.ts";
import { place } from "./place.ts";

/** Milliseconds of silence after which the page says that it has heard nothing. */
export const SILENCE = 6_000;

export const snapshot = signal<Snapshot | null>(null);
/** When something was heard last, by the clock of the browser. */
export const heardAt = signal(Date.now());
/** The clock of the page: what is said in seconds grows with it. */
export const now = signal(Date.now());
/** Oldest first. */
export const events = signal<EventRow[]>([]);
export const incidents = signal<Incident[]>([]);

export const silentFor = computed(() => Math.max(0, now.value - heardAt.value));
export const isSilent = computed(() => silentFor.value >= SILENCE);
/** Whether the server does not know the token: nothing is shown then. */
export const isLockedOut = signal(false);
export const token = location.hash.slice(1);
export const isDemo = computed(() => (snapshot.value?.troubles.length ?? 0) > 0);

let shown: Snapshot | undefined;

export function begin(data: Snapshot): void {
  shown = data;
  show(data);
}

/** Applies changes at once, so that the page is drawn once. */
export function apply(changes: readonly Change[]): void {
  if (shown === undefined) return;
  for (const change of changes) applyChange(shown, change);
  show(shown);
}

function show(data: Snapshot): void {
  const copy = copyOf(data);
  const last = events.value.at(-1);
  const isOther = copy.run !== snapshot.value?.run;
  snapshot.value = copy;
  // What has not changed is not drawn again.
  if (isOther || last?.number !== copy.events.at(-1)?.number) events.value = copy.events;
  incidents.value = copy.incidents;
}

/** Numbers of the events that a pattern matches; null while no pattern is asked for. */
export const matching = signal<{ pattern: string; numbers: Set<number>; error: string } | null>(null);

/** Events that the filters let through, newest first. */
export const filtered = computed(() => {
  const { q, survey } = place.value;
  const isPattern = q.trim().startsWith("{");
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const numbers = matching.value?.numbers;
  const found: EventRow[] = [];
  for (let i = events.value.length - 1; i >= 0; i -= 1) {
    const row = events.value[i];
    if (row === undefined || (survey !== "" && surveyKey(row.source, row.surveyId) !== survey)) continue;
    if (isPattern ? numbers !== undefined && !numbers.has(row.number) : !hasWords(row, words)) continue;
    found.push(row);
  }
  return found;
});

function hasWords(row: EventRow, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const { type, survey, surveyId, responseId, nps, origin, eventId, missing } = row;
  const text = [type, survey, surveyId, responseId, nps?.class, nps?.score, origin, eventId, ...missing]
    .join(" ")
    .toLowerCase();
  return words.every((word) => text.includes(word));
}
