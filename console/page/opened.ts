import { effect, signal } from "@preact/signals";
import { act, isRefused, look } from "./ask.ts";
import type { Envelope } from "./envelope.ts";
import { place } from "./place.ts";

export interface Step {
  name: string;
  said: string;
  from: number;
  to: number;
  kind: "waiting" | "work" | "done";
}

export interface Story {
  steps: Step[];
  facts: [name: string, value: string][];
}

/** The event that is open, and whether what is personal in it can be seen. */
export const opened = signal<{ id: string; envelope: Envelope | null; isRevealed: boolean; error: string } | null>(
  null,
);
export const story = signal<Story | null>(null);

effect(() => {
  const id = place.value.event;
  if (id === (opened.peek()?.id ?? "")) return;
  opened.value = id === "" ? null : { id, envelope: null, isRevealed: false, error: "" };
  story.value = null;
  if (id !== "") void load(id);
});

async function load(id: string): Promise<void> {
  const [envelope, told] = await Promise.all([look<Envelope>(`/events/${id}`), look<Story>(`/stories/${id}`)]);
  if (opened.peek()?.id !== id) return;
  opened.value = isRefused(envelope)
    ? { id, envelope: null, isRevealed: false, error: envelope.error }
    : { id, envelope, isRevealed: false, error: "" };
  story.value = isRefused(told) ? null : told;
}

/** Shows what is personal, or masks it again. */
export async function toggleReveal(): Promise<void> {
  const before = opened.peek();
  if (before === null) return;
  if (before.isRevealed) return load(before.id);
  const envelope = await act<Envelope>(`/reveal/${before.id}`);
  if (opened.peek()?.id !== before.id) return;
  opened.value = isRefused(envelope)
    ? { ...before, error: envelope.error }
    : { ...before, envelope, isRevealed: true, error: "" };
}
