import { computed, signal } from "@preact/signals";
import type { Snapshot } from "../changes.ts";

/** Milliseconds of silence after which the page says that it has heard nothing. */
const SILENCE = 6_000;

export const snapshot = signal<Snapshot | null>(null);
/** When something was heard last, by the clock of the browser. */
export const heardAt = signal(Date.now());
/** The clock of the page: what is said in seconds grows with it. */
export const now = signal(Date.now());
/** Oldest first. */
export const events = computed(() => snapshot.value?.events ?? []);

export const silentFor = computed(() => Math.max(0, now.value - heardAt.value));
export const isSilent = computed(() => silentFor.value >= SILENCE);
/** Whether the server does not know the token: nothing is shown then. */
export const isLockedOut = signal(false);
export const isDemo = computed(() => (snapshot.value?.troubles.length ?? 0) > 0);
