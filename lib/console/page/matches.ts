import { effect, type ReadonlySignal, signal } from "@preact/signals";
import { act, isRefused } from "./server.ts";
import { events, now, snapshot } from "./state.ts";

export interface Matches {
  /** Of the events, by their numbers, and out of how many. */
  numbers: ReadonlySet<number>;
  of: number;
  error: string;
}

const none = (error: string): Matches => ({ numbers: new Set(), of: 0, error });

/**
 * The events that a pattern matches, which the server knows: it has them whole. Asked again when there are new ones, one question at a time.
 *
 * @param pattern as JSON; "" while there is none
 * @returns null while nothing is known
 */
export function matchesOf(pattern: ReadonlySignal<string>): ReadonlySignal<Matches | null> {
  const found = signal<Matches | null>(null);
  let asked = "";
  let isAsking = false;

  async function ask(text: string): Promise<void> {
    isAsking = true;
    const answer = await match(text);
    isAsking = false;
    if (pattern.peek() === text) found.value = answer;
  }

  effect(() => {
    const text = pattern.value;
    const question = `${snapshot.value?.run} ${events.value.at(-1)?.number} ${text}`;
    // Looked at again at each beat of the page's clock: while a question is open no other is asked.
    void now.value;
    if (isAsking || question === asked) return;
    asked = question;
    if (text === "") found.value = null;
    else void ask(text);
  });
  return found;
}

async function match(text: string): Promise<Matches> {
  let pattern: unknown;
  try {
    pattern = JSON.parse(text);
  } catch {
    return none("This is no JSON yet.");
  }
  const answer = await act<{ numbers: number[]; of: number }>("/match", pattern);
  return isRefused(answer) ? none(answer.error) : { ...answer, numbers: new Set(answer.numbers), error: "" };
}
