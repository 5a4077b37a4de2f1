import pLimit from "p-limit";
import { buildBooksClosed, buildDeleted } from "../../events/build/build-told.ts";
import { type BooksSums, booksSums } from "../../events/index.ts";
import { loadIds } from "../books/ids.ts";
import { answerOf, isTrusted } from "../contents/single-read.ts";
import type { Books } from "../model/books.ts";
import type { EmittedResponse, LedgerEntry } from "../model/ledger-entry.ts";
import type { SurveyChange } from "../model/survey-change.ts";
import type { Survey } from "../survey.ts";
import { factsOf, tell, tellNext } from "./tell.ts";

// R29: what subscribers are told of the books.

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

/** The event that tells of the books; none when they say what was told last, or the time is up. */
async function newBooks(survey: Survey): Promise<SurveyChange> {
  const { source, start } = survey;
  const { books } = survey.state;
  if (books === undefined || !areUncompared(survey)) return {};
  const sums = await compareLedger(survey, books);
  if (sums === undefined || !source.events.has("books.closed")) return {};
  const facts = factsOf(survey);
  const { books: now = books, told } = survey.state;
  const built = buildBooksClosed({ ...facts, from: start.at, books: { ...now }, sums, previous: told });
  if (built === undefined) return {};
  const { sequence, eventId } = built.detail.meta;
  return {
    told: { sequence, eventId, hash: built.hash },
    untold: { type: "books.closed", detail: built.detail, time: facts.detectedAt },
  };
}

/** Whether books have closed with which the ledger was not compared yet. */
function areUncompared({ state }: Survey): boolean {
  const { books, booksOpen, pending, comparedAt } = state;
  return books !== undefined && booksOpen === undefined && pending === undefined && comparedAt !== books.closedAt;
}

/**
 * Reads the whole ledger of a survey, once for each time that its books close. Gives the sums over the ids of the last events of all responses, and deals with
 * responses that are listed no more. Undefined when the time is up.
 */
async function compareLedger(survey: Survey, books: Books): Promise<BooksSums | undefined> {
  const { id: surveyId, ports, deadline } = survey;
  const listed = await loadIds(survey, survey.state.listedIds);
  const sums = booksSums();
  let gone = 0;
  let from: string | undefined;
  do {
    if (from !== undefined && ports.clock.now() > deadline) return undefined;
    const page = await ports.state.emitted(surveyId, from);
    const missing: EmittedResponse[] = [];
    const again: EmittedResponse[] = [];
    for (const one of page.entries) {
      const { id, eventId, emittedAt } = one;
      sums.add(eventId);
      // A response that went out since the reading began may not have been listed then.
      if (listed?.has(id) === false && emittedAt < books.startedAt) missing.push(one);
      if (listed?.has(id) === true && one.gone !== undefined) again.push(one);
    }
    const isDone = (await tellMissing(survey, missing, books.closedAt)) && (await noteListed(survey, again));
    if (!isDone) return undefined;
    gone += missing.length;
    // fault: digest-of-one-page
    from = page.next;
  } while (from !== undefined);
  survey.note({ comparedAt: books.closedAt, books: { ...books, gone } });
  return sums.sums();
}

// Emitted responses that are listed no more (R20).

/** Responses dealt with together. */
const AT_ONCE = 100;
/** Requests for single responses at once. */
const REQUESTS = 8;

/**
 * Notes which emitted responses the books do not list, and tells subscribers of those that the last books have missed, too. A response that a trusted single read
 * does not say to be gone is looked at again with the next books. An event that the bus did not take is told by a later poll. False when the time is up: a later
 * poll goes on with the rest.
 *
 * @param closedAt of the books, in epoch milliseconds
 */
export async function tellMissing(survey: Survey, missing: EmittedResponse[], closedAt: number): Promise<boolean> {
  const fresh = missing.filter(({ gone }) => gone === undefined);
  // fault: missing-once-is-deleted
  const twice = missing.filter(({ gone }) => gone !== undefined && gone.told !== true && gone.since < closedAt);
  const isNoted = await note(survey, fresh, async (entries) =>
    entries.map((entry) => ({ ...entry, gone: { since: closedAt } })),
  );
  if (!isNoted || !survey.source.events.has("response.deleted")) return isNoted;
  return note(survey, twice, async (entries) => {
    const gone = await goneOf(survey, entries);
    const events = gone.map((entry) => deleted(survey, entry, closedAt));
    // fault: deletion-untold
    await tell(survey, events);
    return gone.map((entry) => ({ ...entry, gone: { since: closedAt, told: true } }));
  });
}

/** Notes that responses are listed again. Those told as deleted get a new event by the next read that meets them. */
export async function noteListed(survey: Survey, again: EmittedResponse[]): Promise<boolean> {
  const untold = again.filter(({ gone }) => gone?.told !== true);
  return note(survey, untold, async (entries) => entries.map(({ gone, ...entry }) => entry));
}

/** Writes entries of some responses anew, some at a time, as `change` gives them. False when the time was up before the last. */
async function note(
  survey: Survey,
  responses: EmittedResponse[],
  change: (entries: LedgerEntry[]) => Promise<LedgerEntry[]>,
): Promise<boolean> {
  const { ports, deadline } = survey;
  for (let i = 0; i < responses.length; i += AT_ONCE) {
    if (i > 0 && ports.clock.now() > deadline) return false;
    const ids = responses.slice(i, i + AT_ONCE).map(({ id }) => id);
    await survey.write(await change([...(await survey.entries(ids)).values()]));
  }
  return true;
}

/** The responses of which a trusted single read says that they are not there, or all where it is not trusted. */
async function goneOf(survey: Survey, entries: LedgerEntry[]): Promise<LedgerEntry[]> {
  if (!isTrusted(survey)) return entries;
  const limit = pLimit(REQUESTS);
  const answers = await Promise.all(entries.map(({ id }) => limit(() => answerOf(survey, Number(id)))));
  return entries.filter((_, i) => answers[i]?.length === 0);
}

function deleted(survey: Survey, { id, revision = 1, eventId = "" }: LedgerEntry, observedAt: number) {
  const facts = factsOf(survey);
  const detail = buildDeleted({ ...facts, responseId: Number(id), revision, lastEventId: eventId, observedAt });
  return { type: "response.deleted", detail, time: facts.detectedAt } as const;
}
