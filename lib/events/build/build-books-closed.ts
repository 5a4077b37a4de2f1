import { hash } from "node:crypto";
import type { BooksClosed } from "../books-closed.ts";
import type { BooksSums } from "../books-digest.ts";
import type { SurveyFacts } from "../response-completed.ts";
import { eventMeta } from "./event-meta.ts";

type Data = BooksClosed["data"];

export interface BooksFacts {
  sourceName: string;
  surveyId: number;
  survey: SurveyFacts | undefined;
  /** Date string of the service; undefined: from the beginning. */
  from: string | null | undefined;
  books: Data["counts"] & Pick<Data, "passes" | "deficit"> & Partial<Pick<Data, "withheld">> & { startedAt: number };
  sums: BooksSums;
  /** The event of the same survey before this one, and the hash of what it said. */
  previous: { sequence: number; eventId: string; hash: string } | undefined;
  /** Epoch milliseconds. */
  detectedAt: number;
}

/** The event of closed books, with a hash of what it says of them; undefined when that is what the previous one said. */
export function buildBooksClosed(facts: BooksFacts): { detail: BooksClosed; hash: string } | undefined {
  const { sourceName, surveyId, books, sums, previous, detectedAt, from = null } = facts;
  const {
    listed,
    emitted,
    beforeStart,
    open,
    waiting,
    held,
    quarantined,
    refused,
    passes,
    deficit,
    withheld = [],
  } = books;
  const counts = { listed, emitted, beforeStart, open, waiting, held, quarantined, refused };
  const said = hash(
    "sha256",
    JSON.stringify([from, deficit, counts, withheld, sums.digest, Math.min(passes, 2)]),
    "base64url",
  );
  if (said === previous?.hash) return undefined;
  const sequence = (previous?.sequence ?? 0) + 1;
  const detail: BooksClosed = {
    meta: {
      ...eventMeta("books.closed", { sourceName, surveyId, detectedAt }, sequence),
      sequence,
      previous: previous?.eventId ?? null,
    },
    data: {
      surveyId,
      survey: facts.survey ?? null,
      from,
      asOf: new Date(books.startedAt).toISOString(),
      passes,
      deficit,
      counts,
      withheld,
      ...sums,
    },
  };
  return { detail, hash: said };
}
