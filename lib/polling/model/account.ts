import type { DetailKind } from "./ledger-entry.ts";
import type { Start, StartLooks } from "./source.ts";
import type { CountsMark } from "./survey-state.ts";

/** Since when an operation has failed, without any answer of it (epoch milliseconds); absent: it works. */
export type Outages = Partial<Record<DetailKind, number>>;

/** What the single read of a source is worth, from comparing whole responses with it (R11). */
export interface SingleRead {
  /** Responses compared; and those of several records that it has equalled, which make it trusted. */
  compared: number;
  equal: number;
  /** Answers in a row that said nothing; and epoch milliseconds until which it is not asked after three of them. */
  silent: number;
  silentUntil?: number;
}

/** Responses that counts have shown and no scan has found. */
export interface Hint {
  /** Less than nothing: found before counts have shown them. */
  missing: number;
  /** Scans in vain to the end of the list, in a row. */
  tries: number;
  /** Epoch milliseconds before which they are not looked for again. */
  nextAt: number;
}

/** Work that is no news: re-checks of single responses, rescans, full reads for the books. */
export type RestKind = "recheck" | "rescan" | "full read";

/** When work is due next and was tried last (epoch milliseconds), and how often it comes (milliseconds). */
export type RestDue = Record<RestKind, { at: number; every: number; triedAt: number }>;

/** A survey as the tick knows it without reading its state: its last counts and when it is due without them. */
export interface SurveyRow {
  /** `responses`, `correct` and `unpaidResponses` of the list that led to the last poll; null when unreadable. */
  counts: (number | null)[];
  hint?: Hint;
  rest: RestDue;
  /** Epoch milliseconds at which it is due whatever the counts say; absent when never. */
  dueAt?: number;
  /** Set while its backlog is under way, beside the ticks. */
  isBehind?: true;
  /** Epoch milliseconds since which its polls have failed; absent after one that has not. */
  failingSince?: number;
  /** Epoch milliseconds at which its books were closed last; absent when they never were. */
  booksAt?: number;
  /** New responses of which its poll has known by then: `found` of its state. */
  found?: number;
  /** The survey itself as subscribers know it, as a whole number; absent where they are not told. */
  known?: number;
  /** Its counts as subscribers know them; absent where they are not told. */
  counted?: CountsMark;
  /** Epoch milliseconds at which its head was read last, and at which any other work was done or tried. */
  polledAt: number;
  workedAt: number;
}

export interface AccountState extends TickNote {
  /** Epoch milliseconds of the first tick that read the list. */
  firstTick?: number;
  /** Absent until it stands: nothing is emitted before. */
  start?: Start;
  startLooks?: StartLooks;
  /** Fingerprint of the service's base URL. */
  service?: string;
  /** Requests spent on background work beyond its budget: paid back before any more of it is done. */
  overdrawn?: number;
  outages?: Outages;
  single?: SingleRead;
  /** Latches, each written by itself (epoch milliseconds): the single read has differed from a page that was read again; records are scattered over the list (R12). */
  differs?: number;
  scattered?: number;
  rows: Map<number, SurveyRow>;
  /** Epoch milliseconds before which some worker was told to leave the service alone; absent when that is over. */
  pausedUntil?: number;
  /** Set where it was an operator who has paused the source until then: since when (epoch milliseconds). */
  pausedSince?: number;
  /** The rate that some worker's client has learned. */
  learned?: unknown;
}

/** The fields that are stored once and never change: where history begins. */
export const STORED_ONCE: readonly (keyof AccountState)[] = ["firstTick", "start"];

/** The fields that a tick writes. The others have writers of their own. */
export type AccountChanges = Partial<
  Omit<AccountState, "rows" | "pausedUntil" | "pausedSince" | "learned" | keyof TickNote>
>;

/** The work that only one invocation of a source does at a time (R25). So two invocations are at work at most. */
export type Role = "tick" | "backlog";

/** A note of a tick that came to its end, for the next one. Epoch milliseconds. */
export interface TickNote {
  /** When it began to poll. */
  lastTick?: number;
  /** When the survey list was read last. */
  listedAt?: number;
  /** Surveys that are to be polled by their ids, and that this list did not show; absent where there are none. */
  unlisted?: number[] | undefined;
}

/** A note of the last holder of a role, for the next one. */
export interface RoleNote extends TickNote {
  /** Of the backlog: the survey that had its turn last. */
  lastSurvey?: number;
}

export interface RoleLease {
  role: Role;
  owner: string;
  fence: number;
  /** Epoch milliseconds. */
  until: number;
  note: RoleNote;
  /** Set when it could not be prolonged meanwhile. */
  lost?: unknown;
}
