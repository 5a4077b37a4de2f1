import { v5 } from "uuid";
import { type DetailOf, digestSum } from "../../../lib/events/index.ts";
import type { OutgoingEvent } from "../../../lib/polling/index.ts";
import { type GoldenEvent, readGolden } from "../../package.ts";

/** Golden events that can be sent, by the word for what is particular about them: the file in contract/golden, and what it is. */
export const KINDS = {
  promoter: ["ordinary", "a promoter without a comment"],
  detractor: ["detractor", "a detractor"],
  comment: ["comment", "with a comment"],
  large: ["large", "its answers lie in the bucket"],
  incomplete: ["incomplete", "without metrics, metadata and questions"],
  irregular: ["irregular", "with fields that are not as documented"],
  matrix: ["matrix", "with a matrix, whose answers have no labels"],
  other: ["other", "with answers beside the choices"],
  "extra-field": ["extra-field", "with fields that the API document does not have"],
  "ambiguous-date": ["ambiguous-date", "completed while a clock was set back"],
  minimal: ["minimal", "all that can be null or empty is"],
  "unknown-future-field": ["unknown-future-field", "with what a later version may add"],
  test: ["test", "a promoter, as the contract's own test event"],
  updated: ["updated", "the promoter with another answer"],
  deleted: ["deleted", "the promoter is listed no more"],
  books: ["books-closed", "closed books over the promoter and the detractor"],
  "survey-changed": ["survey-changed", "the survey was edited"],
} as const satisfies Record<string, readonly [golden: string, about: string]>;

export type Kind = keyof typeof KINDS;
export const kinds = Object.keys(KINDS) as Kind[];

/** No source has a name with brackets: so nobody takes a test event for one of a response that has the same ids. */
const SOURCE_NAME = "(test)";
/** Event ids of another namespace than that of real ones. */
const NAMESPACE = v5("https://survey-poller/test-events", v5.URL);
/** Fields that hold the id of an event. */
const IDS = ["eventId", "replaces", "previous", "lastEventId"];
/** So often is the comment of the large event said: some 400 KB. */
const SENTENCES = 20_000;

/**
 * A golden event as a test event: marked, and with ids that no real event has. They are the same each time, and those of one event in another: an
 * update names what it replaces, and the books add up.
 *
 * @param salt makes other ids of them
 */
export function testEvent(kind: Kind, salt = ""): OutgoingEvent {
  const [name] = KINDS[kind];
  const { "detail-type": type, detail } = marked(name === "large" ? large() : readGolden(name), salt);
  if (type === "books.closed") detail.data.digest = digestOf(salt);
  return { type, detail, time: Date.now() } as unknown as OutgoingEvent;
}

function marked({ detail, ...envelope }: GoldenEvent, salt: string): GoldenEvent {
  const meta = { ...withTestIds(detail.meta, salt), sourceName: SOURCE_NAME, test: true };
  return { ...envelope, detail: { ...detail, meta, data: withTestIds(detail.data, salt) } };
}

function withTestIds<Fields extends Record<string, unknown>>(fields: Fields, salt: string): Fields {
  const changed = IDS.filter((name) => typeof fields[name] === "string").map((name) => [
    name,
    testId(String(fields[name]), salt),
  ]);
  return { ...fields, ...Object.fromEntries(changed) };
}

function testId(eventId: string, salt: string): string {
  return v5(`${eventId}${salt}`, NAMESPACE);
}

/** An event of which the golden one has a reference in place of its answers: here they are again, for the publisher to put away. */
function large(): GoldenEvent {
  const event = readGolden("large");
  const { answers } = readGolden("comment").detail.data as DetailOf<"response.completed">["data"];
  const repeated = answers.map((answer) => ({
    ...answer,
    comment: Array(answer.comment === "" ? 0 : SENTENCES)
      .fill(answer.comment)
      .join(" "),
  }));
  return { ...event, detail: { ...event.detail, data: { ...event.detail.data, answers: repeated, answersRef: null } } };
}

/** Of the two responses that the books count: the promoter, updated since, and the detractor. */
function digestOf(salt: string): { count: number; sum: string } {
  const sum = digestSum();
  for (const name of ["updated", "detractor"]) sum.add(testId(readGolden(name).detail.meta.eventId, salt));
  return sum.digest();
}
