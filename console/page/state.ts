import { computed, signal } from "@preact/signals";
import type { Change, EventRow, Incident, Snapshot } from "../changes.ts";
import { place } from "./place.ts";

/** Events that are kept. */
export const MOST_EVENTS = 1_000;
const MOST = { points: 600, marks: 100, incidents: 50 } as const;
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
export const token = location.hash.slice(1);
export const isDemo = computed(() => (snapshot.value?.troubles.length ?? 0) > 0);

export function begin(data: Snapshot): void {
  events.value = data.events;
  incidents.value = data.incidents;
  snapshot.value = data;
}

/** What has changed since: applied at once, so that the page is drawn once. */
export function apply(changes: readonly Change[]): void {
  const before = snapshot.value;
  if (before === null) return;
  const next = { ...before };
  const rows: EventRow[] = [];
  const cards = new Map<number, Incident>();
  for (const change of changes) {
    if (change.kind === "event") rows.push(change.row);
    else if (change.kind === "incident") cards.set(change.incident.id, change.incident);
    else if (change.kind === "status") {
      Object.assign(next, { status: change.status, statusAt: change.readAt, statusFailure: null });
    } else if (change.kind === "status failed") next.statusFailure = change.message;
    else if (change.kind === "activity") next.activities = { ...next.activities, [change.surveyId]: change.activity };
    else if (change.kind === "shadow") next.shadow = change.shadow;
    else if (change.kind === "requests") next.requestsToday = change.today;
    else if (change.kind === "token") next.tokenAt = change.fetchedAt;
    else if (change.kind === "point") next.points = [...next.points, change.point].slice(-MOST.points);
    else next.marks = [...next.marks, change.flag].slice(-MOST.marks);
  }
  snapshot.value = next;
  if (rows.length > 0) events.value = [...events.value, ...rows].slice(-MOST_EVENTS);
  if (cards.size > 0) {
    const others = incidents.value.filter(({ id }) => !cards.has(id));
    incidents.value = [...others, ...cards.values()].sort((a, b) => a.id - b.id).slice(-MOST.incidents);
  }
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
    if (row === undefined || (survey !== "" && String(row.surveyId) !== survey)) continue;
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
