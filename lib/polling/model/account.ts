import type { SingleRead } from "../learned.ts";
import type { Outages } from "../publish/patience.ts";
import type { TickNote } from "./role.ts";
import type { Start, StartLooks } from "./start.ts";

/** How a count that moved without a find is followed up. */
export interface Unmet {
  /** Responses that counts have shown and no walk has found. */
  missing: number;
  /** Ticks for which the head is read again: lists may lag behind counts. */
  owed: number;
  /** Whether they are looked for below the head. */
  seeking: boolean;
  /** Epoch milliseconds before which no further search below the head begins. */
  restUntil: number;
  /** Whether the last ones were found below the head: then the next ones are looked for there at once. */
  deep: boolean;
}

/** How far a survey's counts can be trusted to move with every completion. */
export interface Trust {
  /** New responses in a row of misses, and of hits since. */
  misses: number;
  hits: number;
  /** New responses met that the counts had not shown: a miss unless the next list shows them. */
  unseen: number;
}

/** A survey as the tick knows it without reading its mark: its last counts and when it is due without them. */
export interface SurveyRow {
  /** `responses`, `correct` and `unpaidResponses` of the list that led to the last poll; null when unreadable. */
  counts: (number | null)[];
  unmet: Unmet;
  trust: Trust;
  /** Epoch milliseconds at which it is due whatever the counts say; absent when never. */
  dueAt?: number;
  /** Set while it is being caught up: the walk over all its pages goes on beside the ticks. */
  isBehind?: true;
  /** When slow work but for full passes is due (epoch milliseconds), how often it comes (milliseconds), and when a full pass is due. */
  slowAt: number;
  slowEvery: number;
  passAt: number;
  /** Epoch milliseconds at which its books were closed last; absent when they never were. */
  booksAt?: number;
  /** New responses of which its poll has known by then: `found` of its mark. */
  found?: number;
  /** The survey itself as subscribers know it, as a whole number; absent where they are not told. */
  known?: number;
  /** Epoch milliseconds at which its head was read last, and at which slow work of any kind was done or tried. */
  polledAt: number;
  workedAt: number;
  /** The last turn of each kind of slow work: of full passes, and of all the rest (re-checks, the patrol). */
  passedAt: number;
  restedAt: number;
  /** Epoch milliseconds at which a new response was met last. */
  activeAt: number;
}

/** No tick and no clock is later than the others by more, or a clock far ahead would keep a row for itself. Milliseconds. */
export const LONGEST_OVERLAP = 300_000;

/** Whether a tick beside the one that made this row has written a later one. */
export function isOutdated(row: SurveyRow, standing: SurveyRow | undefined): boolean {
  const writtenAt = Math.max(row.polledAt, row.workedAt);
  const isLater = (at: number): boolean => at > writtenAt && at <= writtenAt + LONGEST_OVERLAP;
  return standing !== undefined && (isLater(standing.polledAt) || isLater(standing.workedAt));
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
  /** Requests by which full passes have had more of the budget than all other slow work. */
  passAhead?: number;
  outages?: Outages;
  single?: SingleRead;
  scattered?: number;
  rows: Map<number, SurveyRow>;
  /** Epoch milliseconds before which some worker was told to leave the service alone; absent when that is over. */
  pausedUntil?: number;
  /** Set where it was an operator who has paused the source until then: since when (epoch milliseconds). */
  pausedSince?: number;
  /** The rate that the client of some worker has learned: passed on as it is. */
  learned?: unknown;
}

/** The fields that are stored once and never change: where history begins. */
export const STORED_ONCE: readonly (keyof AccountState)[] = ["firstTick", "start"];

/** The fields that a tick writes. The others have writers of their own. */
export type AccountChanges = Partial<
  Omit<AccountState, "rows" | "pausedUntil" | "pausedSince" | "learned" | keyof TickNote>
>;
