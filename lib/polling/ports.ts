import type { SurveyDefinition } from "../events/build/definition.ts";
import type { EventType } from "../events/index.ts";
import type { AccountChanges, AccountState, Role, RoleLease, SurveyRow } from "./model/account.ts";
import type { CheckedState, EmittedResponse, LedgerEntry } from "./model/ledger-entry.ts";
import type { PersonHashes } from "./model/privacy.ts";
import type { Proof } from "./model/response.ts";
import type { Start, StartLooks } from "./model/source.ts";
import type { Lease, OutgoingEvent, SurveyState } from "./model/survey-state.ts";

// What the polling core needs of the world. Adapters sit beside their service; the simulation brings its own.

export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Calls `work` at this distance until the function it gives is called. */
  every(milliseconds: number, work: () => void): () => void;
}

export type Order = "asc" | "desc";

/** One read of a page: its records as they came, or that there is no such page. */
export type PageRead = { kind: "page"; records: unknown[] } | { kind: "none" };

export type DetailRead<T = unknown> = { kind: "found"; body: T } | { kind: "absent" };

/** The survey service. A failure that remains after all retries is thrown. */
export interface SurveyService {
  surveys(): Promise<unknown[]>;
  page(surveyId: number, page: number, order: Order): Promise<PageRead>;
  /** The records of one response, as they were read. */
  response(surveyId: number, responseId: number): Promise<DetailRead<unknown[]>>;
  /** Metrics by key, as they were read; a list where the service gave no keys. */
  metrics(surveyId: number, responseId: number): Promise<DetailRead<object>>;
  /** One object, as it was read. */
  metadata(surveyId: number, responseId: number): Promise<DetailRead<object>>;
  /** The questions of a survey. What was read for the same `modified` of the survey list may be given again. */
  definition(surveyId: number, modified: string | null): Promise<SurveyDefinition>;
}

/** The table. Reads are strongly consistent unless said otherwise. */
export interface State {
  /** The account item, the last counts of every survey, and what the workers of the source share. */
  account(): Promise<AccountState>;
  /** Merges `changes` into the account item; what is `STORED_ONCE` and stands there stays. */
  saveAccount(changes: AccountChanges): Promise<void>;
  /** Replaces the rows of these surveys, by survey id; the others stay. */
  saveRows(rows: Map<number, SurveyRow>): Promise<void>;
  /** Takes the lease of a survey with the next fence, also from an earlier taking under the same owner's name. Undefined while another owner holds it. */
  acquire(surveyId: number, owner: string, duration: number): Promise<Lease | undefined>;
  /** Takes a role of the source, in the same way. */
  takeRole(role: Role, owner: string, duration: number): Promise<RoleLease | undefined>;
  /** Throws `LeaseLostError` when it has been taken over, as the next three do. */
  giveBackRole(lease: RoleLease): Promise<void>;
  renew(lease: Lease | RoleLease, duration: number): Promise<void>;
  /** Writes the state under the lease's fence, after what was begun before under the same lease. */
  saveState(lease: Lease, state: SurveyState): Promise<void>;
  /** Writes the state and gives the lease back. */
  release(lease: Lease, state: SurveyState): Promise<void>;
  /** Entries of those of `ids` (at most 100) that the ledger holds. */
  entries(surveyId: number, ids: LedgerEntry["id"][]): Promise<Map<LedgerEntry["id"], LedgerEntry>>;
  /** Writes entries over those that are there. Only an emitted one replaces an emitted one. Resolves once all are durable. */
  putEntries(surveyId: number, entries: LedgerEntry[]): Promise<void>;
  /** Entries of this kind whose next check is due, oldest first; may lag behind writes by moments. */
  due(surveyId: number, kind: CheckedState, until: number, limit: number): Promise<LedgerEntry[]>;
  /** Epoch milliseconds of the earliest next check of a survey's entries of this kind, if any; may lag. */
  nextDue(surveyId: number, kind: CheckedState): Promise<number | undefined>;
  /** Some of a survey's entries that are for a redrive (`isForRedrive`), with what was kept of them. */
  forRedrive(surveyId: number, from?: string): Promise<LedgerPage<LedgerEntry>>;
  /** Some of its emitted responses, with their last event each. */
  emitted(surveyId: number, from?: string): Promise<LedgerPage<EmittedResponse>>;
}

/** `next`: where the others begin. A page without entries need not be the last. */
export interface LedgerPage<Entry> {
  entries: Entry[];
  next?: string;
}

/** An event in the form in which it goes to the bus, its answers already at their claim-check place if too large. */
export interface SealedEvent {
  type: EventType;
  /** Bytes that count against the limit of a request. */
  bytes: number;
  /** The `detail` as JSON. */
  json: string;
  /** The same without what is personal, for the bus of facts; absent where there is none. */
  facts?: string;
  /** Epoch milliseconds. */
  time: number;
}

/** Refused is for good: the entry itself is at fault. Failed may be tried again: nobody knows whether it was published. `code` is the bus's own. */
export type PublishOutcome =
  | { kind: "published" }
  | { kind: "refused"; code: string }
  | { kind: "failed"; code: string };

export interface Publisher {
  seal(event: OutgoingEvent): Promise<SealedEvent>;
  /** Publishes one batch (`batchOf`), with retries. `guard` is called before each request to the bus, and stops it by throwing: what is left then has failed. */
  publish(events: SealedEvent[], guard: () => Promise<void>): Promise<PublishOutcome[]>;
}

/** Where lies what is too large for the table. */
export interface Vault {
  put(key: string, value: unknown): Promise<void>;
  /** Undefined when it is gone. */
  get(key: string): Promise<unknown>;
  /** Resolves as well when there is no such object. */
  delete(key: string): Promise<void>;
}

/** An event that the bus has answered: ids, times and words of the poller's own, and none of its contents. */
export interface SentEvent {
  type: EventType;
  surveyId: number;
  responseId: number | undefined;
  eventId: string;
  revision: number | undefined;
  origin: string | undefined;
  changed: readonly string[] | undefined;
  /** Epoch milliseconds. */
  detectedAt: number;
  completed: { at?: string | undefined; ambiguous?: boolean | undefined } | undefined;
  outcome: PublishOutcome["kind"];
  code: string | undefined;
  /** Events that went to the bus together. */
  batch: number;
  /** Milliseconds of each part of the way. */
  ms: { [Part in "metrics" | "metadata" | "ledger"]?: number | undefined } & { bus: number };
  listed: { page: number; order: Order; at: number } | undefined;
  proved: Proof | undefined;
  /** Attempts to make it, where it took several. */
  attempts: number | undefined;
}

/** What the poller tells of while it works: nothing personal. */
export type Progress =
  | { kind: "account"; account: AccountState }
  | { kind: "sent"; event: SentEvent }
  | { kind: "surveys"; listed: number; due: number }
  | { kind: "unreadable surveys"; count: number }
  | ({ kind: "start" } & Start)
  | ({ kind: "start awaited" } & StartLooks)
  | { kind: "paused"; until: number; since?: number | undefined }
  | { kind: "page"; surveyId: number; page: number; order: Order }
  | { kind: "waiting"; surveyId: number; count: number }
  | { kind: "quarantined"; surveyId: number; responseId: number | undefined; reason: string }
  | { kind: "refused"; surveyId: number; responseId: number; code: string }
  | { kind: "held"; surveyId: number; count: number }
  | { kind: "scattered"; surveyId: number }
  | { kind: "skipped"; surveyId: number }
  | { kind: "survey failed"; surveyId: number; code: string; message: string };

export type Observer = (progress: Progress) => void;

export interface Ports {
  clock: Clock;
  service: SurveyService;
  /** The same service, for what a backlog asks: that waits behind all other requests. */
  backlog?: SurveyService;
  state: State;
  publisher: Publisher;
  vault: Vault;
  observe: Observer;
  /** Without it no person is to be found again. */
  personHashes?: PersonHashes | undefined;
}
