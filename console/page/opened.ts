import { effect, signal } from "@preact/signals";
import type { Envelope } from "../changes.ts";
import type { Story } from "../story.ts";
import { place } from "./place.ts";
import { act, isRefused, look, type Refused } from "./server.ts";

/** The event that is open, and whether what is personal in it can be seen. */
export const opened = signal<{ id: string; envelope: Envelope | null; isRevealed: boolean; error: string } | null>(
  null,
);
/** Null while it is being read. */
export const story = signal<Story | Refused | null>(null);

effect(() => {
  const id = place.value.event;
  if (id === (opened.peek()?.id ?? "")) return;
  opened.value = id === "" ? null : { id, envelope: null, isRevealed: false, error: "" };
  story.value = null;
  if (id !== "") void load(id);
});

async function load(id: string): Promise<void> {
  void loadStory(id);
  const found = await look<Envelope>(`/events/${encodeURIComponent(id)}`);
  if (opened.peek()?.id !== id) return;
  const [envelope, error] = isRefused(found) ? [null, found.error] : [found, ""];
  opened.value = { id, envelope, isRevealed: false, error };
}

/** Times that a story is asked for whose log is not written yet, and milliseconds between two. */
const TRIES = 6;
const AGAIN = 1_000;

/** Loads the story of an event. Its log may lie far away, and be written a moment later than the event is heard. */
async function loadStory(id: string): Promise<void> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const told = await look<Story>(`/stories/${encodeURIComponent(id)}`);
    if (opened.peek()?.id !== id) return;
    story.value = told;
    if (isRefused(told) || told.isWhole) return;
    await new Promise((resolve) => setTimeout(resolve, AGAIN));
  }
}

export async function toggleReveal(): Promise<void> {
  const before = opened.peek();
  if (before === null) return;
  if (before.isRevealed) return load(before.id);
  const envelope = await act<Envelope>(`/reveal/${encodeURIComponent(before.id)}`);
  if (opened.peek()?.id !== before.id) return;
  opened.value = isRefused(envelope)
    ? { ...before, error: envelope.error }
    : { ...before, envelope, isRevealed: true, error: "" };
}
