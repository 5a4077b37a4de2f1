import type { WordsPlan } from "../plan/words.ts";
import type { OddRecord } from "./odd-records.ts";

export type Json = Readonly<Record<string, unknown>>;

/** What a response is from a moment on. */
export interface Version {
  /** Epoch milliseconds. */
  from: number;
  state: "open" | "completed" | "unreadable";
  records: readonly Json[];
}

/** Whether one of the single-response operations has something: not before a moment, failing before a moment. */
export interface Detail {
  /** Epoch milliseconds from which it is there; Infinity: never. */
  presentFrom: number;
  /** Epoch milliseconds until which asking fails; Infinity: for ever. */
  failsUntil: number;
  /** Whether it fails because no answer ever comes. */
  hangs?: boolean;
}

export interface SimResponse {
  id: number;
  survey: SimSurvey;
  /** Epoch milliseconds. */
  startedAt: number;
  /** When it was finished, whether or not its records said so readably. */
  endedAt: number | undefined;
  /** When it was first readable as completed. */
  completedAt: number | undefined;
  removedAt: number | undefined;
  answers: number;
  odd: OddRecord | undefined;
  /** Changes of its contents so far. */
  edition: number;
  /** Newest last. */
  versions: Version[];
  single: Detail;
  metrics: Detail;
  metadata: Detail;
  /** Its place in the list while it is there. */
  sortKey: number;
  listed: boolean;
  /** Epoch milliseconds from which it has been in the list, in whatever state. */
  listedFrom: number | undefined;
  /** Whether a page was read that showed it open. */
  shownOpen?: boolean;
  /** Epoch milliseconds from which on the poller has that from its page, and not only looked at the page. */
  readOpenAt?: number;
  /** Epoch milliseconds at which its metrics or metadata were asked for first. */
  askedAt?: number;
  noticed: Noticed | undefined;
}

/** How a completion could be noticed when it happened. */
export interface Noticed {
  /** All its records are on the first desc page. */
  atHead: boolean;
  /** It was not listed before, and is what desc pages begin with. */
  isFirst: boolean;
  /** The last desc page that it is on. */
  page: number;
  counted: boolean;
  listedOpenSince: number | undefined;
}

export type SortKey = "responseId" | "dateStart" | "dateCompleted" | "hash" | "reversed";
export type Layout = "contiguous" | "interleaved" | "scattered";
export type PastEnd = "empty" | "no-content" | "not-found" | "bad-request" | "repeat" | "fault";
export type CountMode = "right" | "lagging" | "frozen" | "starts" | "one" | "lying" | "odd";
export type SingleMode = "right" | "gone" | "more" | "fewer" | "bare" | "failing" | "not-open";
export type Volatile = "none" | "undocumented" | "comment" | "order";
/** What ties on the sort key, and so stands in another order at each read of a page: records of a response, whole responses. */
export type Ties = "none" | "records" | "responses" | "both";
export type OpenDate = "null" | "empty" | "zeros" | "start";

/** How the service behaves for one survey. A flip changes it in mid-history. */
export interface Traits {
  sortKey: SortKey;
  layout: Layout;
  /** In desc order the records of one response stand as in asc order. */
  stableDesc: boolean;
  listsOpen: boolean;
  openDate: OpenDate;
  pastEnd: PastEnd;
  shortPages: boolean;
  counts: CountMode;
  /** Milliseconds. */
  countLag: number;
  single: SingleMode;
  /** Records of a response: least and most. */
  answers: [number, number];
  twins: boolean;
  ties: Ties;
  /** Two copies of the list answer in turn, and one of them is behind. */
  replicas: boolean;
  /** What reads differently each time in records that have not changed. */
  volatile: Volatile;
  /** In what shape operation 11 gives metrics: by key, or as a list in the place of the map or of the array around it. */
  metricsAs: "map" | "list" | "bare";
  /** What operation 13 lists: the metadata of the response, that of another one before it, or metadata that name none. */
  metadataAs: "one" | "several" | "anonymous";
  /** Whether records say of which survey they are. */
  namesItself: boolean;
}

/** A list as it was from a moment on (epoch milliseconds). */
export interface PastList {
  from: number;
  asc: readonly Json[];
  desc: readonly Json[];
}

export interface SimSurvey {
  id: number;
  now: () => number;
  /** Epoch milliseconds. */
  createdAt: number;
  /** `created` in the list is no number. */
  oddCreated: boolean;
  traits: Traits;
  words: WordsPlan;
  responses: SimResponse[];
  /** What the list holds, in asc order. */
  listed: SimResponse[];
  /** Records that belong to no response, at the end of the list. */
  orphans: Json[];
  /** Records in asc order as pages cut them; undefined after a change. */
  flat: readonly Json[] | undefined;
  flatDesc: readonly Json[] | undefined;
  /** The list after each change, where a copy of it is behind; and whether that copy has the next turn. */
  past: PastList[];
  isCopysTurn: boolean;
  /** Responses so far, and what the counts show of them. */
  counted: { started: number; completed: number };
  shown: { started: number; completed: number };
  /** Out of the survey list; and 404 for everything under it. */
  hidden: boolean;
  gone: boolean;
  /** Epoch milliseconds at which it was gone, and was back. */
  goneFrom: number;
  goneTo: number;
  /** The first of its pages that fail, as all behind it do, whatever the list holds. */
  failsFrom: number;
  /** Epoch milliseconds of the last page that was empty by mistake. */
  emptyAt: number;
  /** Epoch milliseconds of the first page that was read of it. */
  firstReadAt: number | undefined;
}
