import { buildBooksClosed, buildDeleted } from "../../events/build/build-told.ts";
import { type BooksSums, booksSums } from "../../events/index.ts";
import { leastApart } from "../books.ts";
import { answerOf, isTrusted } from "../contents.ts";
import type { Books, ToldBooks } from "../model/books.ts";
import type { EmittedResponse, LedgerEntry } from "../model/ledger-entry.ts";
import type { OutgoingEvent } from "../model/survey-state.ts";
import { loadIds } from "../read-ids.ts";
import type { Survey } from "../survey.ts";
import { MOST_ENTRIES } from "./bus.ts";
import { factsOf, tell, tellNext } from "./tell.ts";

// The ledger is compared with closed books (R20, R29): subscribers are told of the sums, and of responses that are gone.

/**
 * Tells subscribers that the books of a survey have closed, where that is new to them. To be called when nothing of the survey is under way any more: then the
 * ledger holds the last event of each response. A failure is left to the next poll, and holds up nothing else.
 */
export async function tellBooks(survey: Survey): Promise<void> {
  await survey.orLeave(() => tellNext(survey, () => newBooks(survey)));
}

/** Whether something is left to be told. */
export function hasUntold(survey: Survey): boolean {
  return survey.state.untold !== undefined || areUncompared(survey);
}

/** The event that tells of the books; undefined when they say what was told last, or the time is up. */
async function newBooks(survey: Survey): Promise<{ event: OutgoingEvent; books: ToldBooks } | undefined> {
  const { source, start } = survey;
  const { books } = survey.state;
  if (books === undefined || !areUncompared(survey)) return undefined;
  const sums = await compareLedger(survey, books);
  if (sums === undefined || !source.events.has("books.closed")) return undefined;
  const facts = factsOf(survey);
  const { books: now = books, told } = survey.state;
  const built = buildBooksClosed({ ...facts, from: start.at, books: { ...now }, sums, previous: told });
  if (built === undefined) return undefined;
  const { sequence, eventId } = built.detail.meta;
  const event = { type: "books.closed", detail: built.detail, time: facts.detectedAt } as const;
  return { event, books: { sequence, eventId, hash: built.hash } };
}

/** Whether books have closed with which the ledger was not compared yet. */
function areUncompared({ state }: Survey): boolean {
  const { books, booksOpen, pending, comparedAt } = state;
  return books !== undefined && booksOpen === undefined && pending === undefined && comparedAt !== books.closedAt;
}

/**
 * Reads the whole ledger of a survey, once for each time that its books close. Gives the sums over the ids of the last events of all responses, and notes which of these
 * are listed no more (R20). Undefined when the time is up: a later poll begins anew with what is left.
 */
async function compareLedger(survey: Survey, books: Books): Promise<BooksSums | undefined> {
  const { id: surveyId, ports, source, deadline } = survey;
  const { closedAt, startedAt } = books;
  const longAgo = closedAt - leastApart(source);
  const listed = await loadIds(survey, survey.state.listedIds);
  const sums = booksSums();
  let missed = 0;
  let from: string | undefined;
  do {
    if (from !== undefined && ports.clock.now() > deadline) return undefined;
    const page = await ports.state.emitted(surveyId, from);
    for (const { eventId } of page.entries) sums.add(eventId);
    // A response that went out since the reading began may not have been listed then.
    const missing = page.entries.filter(({ id, emittedAt }) => listed?.has(id) === false && emittedAt < startedAt);
    const once = missing.filter((one) => one.gone === undefined);
    // fault: missing-once-is-deleted
    const twice = missing.filter(({ gone }) => gone !== undefined && !gone.told && gone.since <= longAgo);
    // One that was told as deleted gets a new event by the next read that meets it.
    const back = page.entries.filter((one) => listed?.has(one.id) === true && one.gone !== undefined && !one.gone.told);
    const gone = { since: closedAt };
    const isDone =
      (await inParts(survey, once, AT_ONCE, (some) => survey.write(some.map((entry) => ({ ...entry, gone }))))) &&
      (await inParts(survey, back, AT_ONCE, (some) => survey.write(some.map(({ gone: _, ...entry }) => entry)))) &&
      (!source.events.has("response.deleted") ||
        (await inParts(survey, twice, MOST_ENTRIES, (some) => tellDeleted(survey, some, closedAt))));
    if (!isDone) return undefined;
    missed += missing.length;
    // fault: digest-of-one-page
    from = page.next;
  } while (from !== undefined);
  survey.note({ kind: "compared", closedAt, gone: missed });
  return sums.sums();
}

/** Entries written together. */
const AT_ONCE = 100;

/** Works on the entries of some responses, so many at a time. False when the time was up before the last. */
async function inParts(
  survey: Survey,
  responses: EmittedResponse[],
  most: number,
  work: (entries: LedgerEntry[]) => Promise<void>,
): Promise<boolean> {
  const { ports, deadline } = survey;
  for (let i = 0; i < responses.length; i += most) {
    if (i > 0 && ports.clock.now() > deadline) return false;
    const ids = responses.slice(i, i + most).map(({ id }) => id);
    await work([...(await survey.entries(ids)).values()]);
  }
  return true;
}

/**
 * Tells subscribers of responses that two books apart have not listed. One that a trusted single read does not say to be gone is looked at again with the next books.
 * An event that the bus did not take is told by a later poll. What it took is in the ledger before anything else (R18).
 */
async function tellDeleted(survey: Survey, entries: LedgerEntry[], closedAt: number): Promise<void> {
  const isAsked = isTrusted(survey);
  const answers = await Promise.all(entries.map(({ id }) => (isAsked ? answerOf(survey, Number(id)) : [])));
  const deleted = entries.filter((_, i) => answers[i]?.length === 0);
  const events = deleted.map(({ id, revision = 1, eventId = "" }) => {
    const facts = { ...factsOf(survey), responseId: Number(id), revision, lastEventId: eventId, observedAt: closedAt };
    return { type: "response.deleted", detail: buildDeleted(facts), time: facts.detectedAt } as const;
  });
  // fault: deletion-untold
  const { done, failure } = events.length === 0 ? { done: [] } : await tell(survey, events);
  const told = deleted.filter((_, i) => done.some((event) => event === events[i]));
  await survey.write(told.map((entry) => ({ ...entry, gone: { since: closedAt, told: true } })));
  if (failure !== undefined) throw failure;
}
