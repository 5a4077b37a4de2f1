import type { Books, SurveyState } from "../../../lib/polling/index.ts";
import type { Store } from "../../support/state-store.ts";
import { listedOf, type SimResponse, type SimSurvey } from "../service/survey-model.ts";
import type { World } from "../world.ts";
import type { Deliveries } from "./deliveries.ts";
import { hidesItsEnd, isRightlyHeld, isSortedAnew } from "./excluded.ts";

/** What was seen in the marks of a survey. */
export interface MarkFacts {
  /** Epoch milliseconds at which the first reading was said to be done. */
  readAt: number | undefined;
  /** From then on what has no item is new. Whether something listed all the time may not be in them: docs/internals/api-gaps.md. */
  firstBooks: { closedAt: number; mayHaveSlipped: boolean } | undefined;
  books: Books | undefined;
}

/** Milliseconds within which what went out is in the ledger. */
const SETTLES = 60_000;

/** The one place that looks into a mark: what it holds is the poller's own affair, save that it never goes back, and that the books it proves are the truth. */
export function createBooksCheck(world: World, store: Pick<Store, "read">, deliveries: Deliveries) {
  const known = new Map<number, MarkFacts>();

  const inMotion = (survey: SimSurvey, books: Books): void => {
    const { id: surveyId } = survey;
    const unaccounted = books.listed - sumOf(books);
    if (unaccounted !== 0) world.violate("books", `survey ${surveyId}: closed with ${unaccounted} unaccounted for`);
    const { startedAt, closedAt } = books;
    if (survey.responses.some((one) => wasListed(one, startedAt, closedAt) && !stoodStill(one, startedAt, closedAt)))
      world.sometimes("books close while the list changes");
    // What stood still has changed its place all the same (docs/internals/api-gaps.md): the next pass finds what slipped.
    if (survey.traits.replicas || isSortedAnew(survey, startedAt, closedAt)) return;
    const within = (
      count: number,
      name: string,
      isThroughout: (one: SimResponse) => boolean,
      isEver: (one: SimResponse) => boolean,
    ): void => {
      // While it answered 404 there was no list.
      const listedThroughout =
        wasGone(survey, startedAt, closedAt) || mayHaveSkipped(survey, startedAt, closedAt)
          ? 0
          : listedOf(survey).filter((one) => stoodStill(one, startedAt, closedAt) && isThroughout(one)).length;
      const ever = survey.responses.filter((one) => wasListed(one, startedAt, closedAt) && isEver(one)).length;
      if (count >= listedThroughout && count <= ever) return;
      world.violate(
        "books",
        `survey ${surveyId}: closed with ${count} ${name}, which were ${listedThroughout} to ${ever}`,
      );
    };
    const all = (): boolean => true;
    within(books.listed, "listed", all, all);
    within(
      books.emitted,
      "emitted",
      ({ id }) => deliveries.of(id).some(({ settledAt }) => settledAt < startedAt - SETTLES),
      ({ id }) => deliveries.of(id).some(({ at }) => at <= closedAt),
    );
    within(
      books.open,
      "open",
      ({ versions }) => versions.at(-1)?.state === "open",
      ({ versions }) => versions[0]?.state === "open",
    );
  };

  const firstBooksOf = (survey: SimSurvey, { startedAt, closedAt, listed }: Books) => {
    const mayHaveSlipped =
      isSortedAnew(survey, startedAt, closedAt) ||
      mayHaveSkipped(survey, startedAt, closedAt) ||
      (listed === 0 && survey.goneFrom <= closedAt);
    return { closedAt: world.scheduler.now(), mayHaveSlipped };
  };

  return {
    facts: (surveyId: number): MarkFacts | undefined => known.get(surveyId),
    markWritten(surveyId: number, before: SurveyState, after: SurveyState): void {
      const facts = known.get(surveyId) ?? { readAt: undefined, firstBooks: undefined, books: undefined };
      known.set(surveyId, facts);
      const survey = world.surveys.get(surveyId);
      for (const problem of stepsBack(before, after)) world.violate("mark", `survey ${surveyId}: ${problem}`);
      if (after.phase.kind === "head") facts.readAt ??= world.scheduler.now();
      if (survey !== undefined && after.books !== undefined) {
        facts.firstBooks ??= firstBooksOf(survey, after.books);
        if (after.books.closedAt !== facts.books?.closedAt) inMotion(survey, after.books);
      }
      facts.books = after.books;
    },
    /** What of the books of a survey at rest is not the truth; undefined when they are closed and right. */
    wrongAtRest(survey: SimSurvey): string | undefined {
      const books = known.get(survey.id)?.books;
      if (hidesItsEnd(survey)) return undefined;
      if (books === undefined || books.closedAt < world.livenessFrom)
        return "they were not closed since things came to rest";
      const truth = booksOf(survey, deliveries, (response) => isRightlyHeld(world, store, response));
      const { listed, emitted, beforeStart, open, waiting, held, quarantined, refused } = books;
      const unfit = beforeStart + quarantined + refused;
      const said: Classes = { listed, emitted, open, waiting, held, unfit };
      const isRight = JSON.stringify(said) === JSON.stringify(truth);
      return isRight ? undefined : `they say ${JSON.stringify(said)}, the truth is ${JSON.stringify(truth)}`;
    },
  };
}

function wasGone({ goneFrom, goneTo }: SimSurvey, from: number, to: number): boolean {
  return goneFrom <= to && goneTo >= from;
}

/** Listed all the while, and at one place: what is completed or edited goes to another one, from ahead of the pass to behind it for all one pass can see. */
function stoodStill({ listedFrom = Infinity, versions }: SimResponse, from: number, to: number): boolean {
  return listedFrom <= from && !versions.some((version) => version.from > from && version.from <= to);
}

/**
 * Whether a pass may have gone on behind the place where it had stopped: what it had met as open stands further on once it is completed, and deletions have moved up
 * what stood before that (docs/internals/api-gaps.md).
 */
function mayHaveSkipped({ responses, traits }: SimSurvey, from: number, to: number): boolean {
  const isWithin = (at = Infinity): boolean => at > from && at <= to;
  const wasMet = ({ listedFrom = Infinity, completedAt }: SimResponse): boolean =>
    listedFrom <= from && isWithin(completedAt);
  return (
    traits.sortKey === "dateCompleted" && responses.some(wasMet) && responses.some((one) => isWithin(one.removedAt))
  );
}

function wasListed({ listedFrom = Infinity, removedAt = Infinity }: SimResponse, from: number, to: number): boolean {
  return listedFrom <= to && removedAt >= from;
}

function sumOf({ emitted, beforeStart, open, waiting, held, quarantined, refused }: Books): number {
  return emitted + beforeStart + open + waiting + held + quarantined + refused;
}

function* stepsBack(before: SurveyState, after: SurveyState): Generator<string> {
  if (before.phase.kind !== "new" && after.phase.kind === "new") yield "it was never read";
  if (before.books !== undefined && after.books === undefined) yield "its books are gone";
}

/** Whether one that cannot be read is before the start is the poller's to say: together they are `unfit`. Held are completed ones whose contents nothing proves. */
type Classes = Record<"listed" | "emitted" | "open" | "waiting" | "held" | "unfit", number>;

function booksOf(survey: SimSurvey, deliveries: Deliveries, isHeld: (response: SimResponse) => boolean): Classes {
  const truth: Classes = { listed: 0, emitted: 0, open: 0, waiting: 0, held: 0, unfit: 0 };
  for (const response of listedOf(survey)) {
    truth.listed += 1;
    // Of one that went out just before its process died the ledger knows nothing.
    if (isHeld(response)) truth.held += 1;
    else if (deliveries.of(response.id).length > 0) truth.emitted += 1;
    else if (response.versions.at(-1)?.state === "open") truth.open += 1;
    else truth.unfit += 1;
  }
  return truth;
}
