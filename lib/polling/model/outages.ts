import type { DetailKind } from "./ledger-entry.ts";

/** What is known of an operation's failing for the whole source. */
export interface Outage {
  /** Milliseconds of the outages that are over. */
  down: number;
  /**
   * Failures since the last answer: epoch milliseconds of the first of them, and different responses, three at most.
   * Confirmed: it is an outage, and no matter of these responses. Chosen: those that the next tick asks for in any case.
   */
  failing?: { since: number; responses: string[]; confirmed?: boolean; chosen?: string[] };
  /** The response whose answer came last: what was had once can be had again while the operation works. */
  answered?: { surveyId: number; responseId: number };
}

export type Outages = Record<DetailKind, Outage>;

/** A response, by `surveyId/responseId`. */
export type ResponseKey = string;

/** What came of one attempt; `code` is the error's own. */
export type Outcome = { kind: "found"; body: unknown } | { kind: "absent" } | { kind: "failed"; code: string };

/** What the polls of one tick see of outages, together. */
export interface OutageWatch {
  outages: Outages;
  /** As the account had them, as JSON. */
  known: string;
  /** Looks at a response that was answered before; one that was in vain is not repeated before the next answer. */
  looks: Partial<Record<DetailKind, Promise<void>>>;
  /** Whether what was answered before fails too, for those about to be given up. */
  lastLooks: Partial<Record<DetailKind, Promise<boolean>>>;
  /** Attempts of this tick during an outage. */
  scouts: Record<DetailKind, { turn: Turn; outcome: Promise<Outcome> }[]>;
  /** Responses that this tick has not asked for, and when they were asked for last: those longest ago, so many as have a turn at the next one. */
  spared: Record<DetailKind, { response: ResponseKey; since: number }[]>;
}

/** Why a response is asked for during an outage: it is new, the tick before has chosen it, or it comes first. */
export type Turn = "news" | "chosen" | "first";
