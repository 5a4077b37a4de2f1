import type { IdSet } from "../../../ids/id-set.ts";

/** The list of a consumer, as far as it was read: its ids are in the set that the reader was given. */
export interface TakenList {
  /** Where they were read, for people. */
  from: string;
  /** When the list was taken (epoch milliseconds). */
  asOf: number;
  /** Lines, items or objects in which no event id stands. */
  unreadable: number;
}

/** The tools of every reader of a list. */
export interface ListReader {
  ids: Pick<IdSet, "add">;
  signal: AbortSignal;
  now(): number;
  /** Called as it goes on. */
  tell(text: string): void;
}
