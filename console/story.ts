import type { Events } from "./events.ts";

/** A span of the life of a response, from its completion on. */
export interface Step {
  name: string;
  /** What it was, in words. */
  said: string;
  /** Epoch milliseconds; equal for what has no length that is known. */
  from: number;
  to: number;
  /** `waiting`: nothing was at work on it. */
  kind: "waiting" | "work" | "done";
}

export interface Story {
  eventId: string;
  steps: Step[];
  facts: [name: string, value: string][];
}

interface Told {
  meta?: { detectedAt?: string; origin?: string; revision?: number; missing?: string[] };
  data?: { response?: { completed?: { at?: string } } };
}

const FOUND: Readonly<Record<string, string>> = {
  head: "on the newest pages",
  "catch-up": "while catching up, oldest first",
  search: "by a search: a count had shown that it was there",
  patrol: "by the patrol, which reads the list in doubling depth",
  "full-pass": "by a full pass over all pages",
  recheck: "when an open response was looked at again",
  replay: "sent again on request",
};

/**
 * The story of the response of an event, by what the event itself says. A log of the steps in between plugs in here.
 *
 * @returns undefined for an event that is not kept any more
 */
export function storyOf(events: Pick<Events, "find">, eventId: string): Story | undefined {
  const found = events.find(eventId);
  if (found === undefined) return undefined;
  const { meta = {}, data = {} } = found.envelope.detail as Told;
  const detected = Date.parse(meta.detectedAt ?? "");
  const completed = Date.parse(data.response?.completed?.at ?? "");
  const { at, isRepeat } = found.row;
  const steps: Step[] = [];
  if (!Number.isNaN(completed) && !Number.isNaN(detected)) {
    const said = "completed, not yet read by a poll";
    steps.push({ name: "At the service", said, from: completed, to: Math.max(completed, detected), kind: "waiting" });
  }
  if (!Number.isNaN(detected)) {
    const said = "made into an event, published, taken by the bus";
    steps.push({ name: "Event to bus", said, from: detected, to: Math.max(detected, at), kind: "work" });
  }
  steps.push({ name: "On the bus", said: "rules see it", from: at, to: at, kind: "done" });
  const facts: [string, string][] = [
    ["Found", FOUND[meta.origin ?? ""] ?? meta.origin ?? "not said"],
    ["Revision", `${meta.revision ?? "none"}`],
    ["Missing", meta.missing?.length ? meta.missing.join(", ") : "nothing"],
    ["Delivered", isRepeat ? "more than once, under the same event id" : "once"],
  ];
  return { eventId, steps, facts };
}
