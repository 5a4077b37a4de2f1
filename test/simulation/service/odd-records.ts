import type { ListedRecord } from "../../../lib/local/simulator/responses.ts";

type Deviation = (record: ListedRecord, slot: number) => ListedRecord;

/** Too long to be kept in an item of the table. */
const LARGE = "so much to say ".repeat(8_000);

/** Fields of records that tell of a completion. */
const once =
  (fields: (record: ListedRecord, slot: number) => ListedRecord): Deviation =>
  (record, slot) =>
    record.completed === 1 ? fields(record, slot) : {};
/** Fields of the first record alone. */
const first =
  (fields: ListedRecord): Deviation =>
  (_, slot) =>
    slot === 0 ? fields : {};

/** How the records of a response deviate from the API document. */
const deviations = {
  "id-text": ({ responseId }) => ({ responseId: String(responseId) }),
  "completed-text": ({ completed }) => ({ completed: String(completed) }),
  "completed-true": ({ completed }) => ({ completed: completed === 1 }),
  "date-null": once(() => ({ dateCompleted: null })),
  "date-empty": once(() => ({ dateCompleted: "" })),
  "date-zeros": once(() => ({ dateCompleted: "0000-00-00 00:00:00" })),
  // The completion itself is later than it was: the list is sorted by it.
  "date-future": () => ({}),
  "date-ahead": () => ({}),
  "date-differs": once(({ dateStart }, slot) => (slot % 2 === 1 ? { dateCompleted: dateStart } : {})),
  "answer-text": first({ answer: "3" }),
  "comment-null": first({ comment: null }),
  "score-text": first({ score: "5" }),
  "unreadable-first": once(() => ({ completed: "maybe" })),
  unreadable: once(() => ({ completed: "maybe" })),
  large: first({ comment: LARGE }),
} satisfies Record<string, Deviation>;

export type OddRecord = keyof typeof deviations;

export const oddRecords = Object.keys(deviations) as OddRecord[];

export const deviationOf = (odd: OddRecord | undefined): Deviation =>
  odd === undefined ? () => ({}) : deviations[odd];

/** Milliseconds by which a date of completion is wrong: far further ahead than any zone, or less far: then it may be a zone. */
export function aheadBy(odd: OddRecord | undefined): number {
  if (odd === "date-future") return 400 * 86_400_000;
  return odd === "date-ahead" ? 9 * 3_600_000 : 0;
}
