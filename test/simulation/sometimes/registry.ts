import type { Progress } from "../../../lib/polling/index.ts";

// Rare states in which faults hide. A state that no history meets is tested by none: a run of many histories fails then.

/** What ports, service and oracle can see. */
const seenFromOutside = [
  // Processes.
  "two invocations at once",
  "an invocation leaves the tick to another one",
  "an invocation leaves the backlog to another one",
  "a survey is in another's hands",
  "a lease is taken that nobody gave back",
  "the lease is lost while an event is in no ledger",
  "a process dies between publish and ledger",
  "a mark comes too late, from a process that stood still",
  "an event comes twice, as nobody knew",
  "the index shows what is no longer so",
  // Pages.
  "responses that tie change places",
  "ties across an edge",
  "a response fills a page and goes on",
  "the first look at a survey is empty by mistake",
  // The end of a list.
  "end: an empty page",
  "end: 204",
  "end: 404",
  "end: 400",
  "end: a page comes again",
  "end: a page fails",
  // Responses.
  "late completion below the head",
  "operation 9 is first to show a completion",
  "no credible date, and emitted",
  "deleted before it was emitted",
  "emitted when it was gone",
  "changed before it was emitted",
  "grown after its event",
  "news while a backlog is under way",
  // Details.
  "details come at a later attempt",
  "details are asked of one that is gone",
  "an event goes out without details that failed",
  "an event goes out without details that were absent",
  "an event goes out without its questions",
  "the words of an event are certain",
  // Books.
  "books close while the list changes",
  "books are told twice, as nobody knew",
  "subscribers are told of a deletion",
  "a survey is told to be gone",
  "a survey is told to be there",
  "the counts of a survey are told again",
] as const;

/** What only the poller can tell of, by what it observes, or by what has proved an event. */
const toldByPoller = {
  paused: "everybody pauses",
  waiting: "a response waits",
  quarantined: "a response is quarantined",
  held: "a response is held",
  skipped: "a page is skipped",
  "its page": "contents proved by a page",
  "both pages": "contents proved by both pages beside an edge",
  "single read": "contents proved by operation 9",
} as const;

export const rareStates = [...seenFromOutside, ...Object.values(toldByPoller)] as const;

export type RareState = (typeof rareStates)[number];

export function stateShownBy(progress: Progress): RareState | undefined {
  const states: Partial<Record<string, RareState>> = toldByPoller;
  return states[progress.kind === "sent" ? (progress.event.proved ?? "") : progress.kind];
}
