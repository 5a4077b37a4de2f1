import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { type SurveyCounts, surveyCounts } from "../../../lib/events/build/survey.ts";
import {
  type BooksClosed,
  eventId,
  type ResponseDeleted,
  type SurveyChanged,
  type SurveyCounted,
} from "../../../lib/events/index.ts";
import type { Books, SurveyState } from "../../../lib/polling/index.ts";
import type { Store } from "../../support/state-store.ts";
import { editionAt, type Json, type SimSurvey } from "../service/survey-model.ts";
import type { World } from "../world.ts";
import type { Deliveries } from "./deliveries.ts";

const HOUR = 3_600_000;
/** Ticks from an edit to its event, as two lists have to show it; and until counts are told that are due. */
const TICKS = 4;

/** What `survey.changed` events say: each begins with what the one before has ended with, and the last one ends with what the list shows. */
export function createSurveyChanges(world: World) {
  const chains = createChains<SurveyChanged>(world, {
    rule: "survey changed",
    type: "survey.changed",
    wrongLink({ data: { surveyId, before, after } }, last) {
      if (after === null) world.sometimes("a survey is told to be gone");
      if (before === null) world.sometimes("a survey is told to be there");
      const editions = world.surveys.get(surveyId)?.editions;
      if (editions === undefined) return "is of no survey";
      if (last !== undefined && !isDeepStrictEqual(before, last.data.after))
        return "does not begin where that has ended";
      if (isDeepStrictEqual(before, after)) return "says nothing new";
      const wereSo = [before, after].every(
        (facts) => facts === null || editions.some((one) => isDeepStrictEqual(one.facts, facts)),
      );
      return wereSo ? undefined : "says what never was";
    },
  });
  return {
    delivered: chains.delivered,
    /** What subscribers do not know of a survey itself. */
    wrongAtRest(survey: SimSurvey, { known }: Partial<SurveyState> = {}): string | undefined {
      if (!world.plan.source.events.has("survey.changed") || known === undefined) return undefined;
      const chain = chains.of(survey.id);
      const { facts: after, sequence } = known;
      const isTold = chain.length === 0 || isDeepStrictEqual(chain.at(-1)?.data.after, after);
      if (sequence !== chain.length || !isTold) return "the mark says more than subscribers know";
      if (after === null) return survey.hidden ? undefined : "subscribers were told that it is gone, and it is listed";
      const since = world.scheduler.now() - TICKS * world.plan.source.interval;
      const told = survey.editions.findLastIndex(({ facts }) => isDeepStrictEqual(facts, after));
      return told < editionAt(survey, since) ? "it was edited, and nobody was told" : undefined;
    },
  };
}

/** What `survey.counted` events say: what a list has shown, an hour apart or more, up to what the list shows now. */
export function createSurveyCounts(world: World) {
  const isOn = world.plan.source.events.has("survey.counted");
  /** By survey, then by impressions, which are the seconds of the service's clock. */
  const shown = new Map<unknown, Map<unknown, SurveyCounts[]>>();
  const chains = createChains<SurveyCounted>(world, {
    rule: "survey counts",
    type: "survey.counted",
    wrongLink({ data: { surveyId, asOf, impressions, opened, responses } }, last) {
      if (last !== undefined) world.sometimes("the counts of a survey are told again");
      if (last !== undefined && Date.parse(asOf) - Date.parse(last.data.asOf) < HOUR) return "comes within the hour";
      const then = shown.get(surveyId)?.get(impressions) ?? [];
      const isShown = then.some((counts) => isDeepStrictEqual(counts, { impressions, opened, responses }));
      return isShown ? undefined : "says what no list has shown";
    },
  });
  return {
    delivered: chains.delivered,
    /** Called with the rows of each list at the moment of its answer. */
    listed(rows: readonly Json[]): void {
      if (!isOn) return;
      for (const row of rows) {
        const ofSurvey = shown.get(row.surveyId) ?? new Map<unknown, SurveyCounts[]>();
        shown.set(row.surveyId, ofSurvey);
        ofSurvey.set(row.impressions, [...(ofSurvey.get(row.impressions) ?? []), surveyCounts(row)]);
      }
    },
    /** What subscribers do not know of the counts of a survey. */
    wrongAtRest(survey: SimSurvey, state: SurveyState | undefined): string | undefined {
      if (!isOn || state === undefined || survey.hidden) return undefined;
      const chain = chains.of(survey.id);
      if ((state.counted?.sequence ?? 0) !== chain.length) return "the state says more than subscribers know";
      const since = world.scheduler.now() - HOUR - TICKS * world.plan.source.interval;
      const told = (chain.at(-1)?.data.impressions ?? 0) * 1000;
      return told < since ? "its counts have changed, and nobody was told" : undefined;
    },
  };
}

/** An event about a survey as a whole. */
interface Numbered {
  meta: { eventId: string; sequence: number };
  data: { surveyId: number };
}

interface Rules<E> {
  /** The promise that is broken by one that is wrong. */
  rule: string;
  type: string;
  /** What is wrong with one beside the one before; undefined when nothing is. */
  wrongLink(detail: E, last: E | undefined): string | undefined;
  /** Called where the bus has it once more. */
  repeated?(): void;
}

/** The events of one type, by survey: one content for each id, and each has the next number. */
function createChains<E extends Numbered>(world: World, { rule, type, wrongLink, repeated }: Rules<E>) {
  const chains = new Map<number, E[]>();
  const of = (surveyId: number): readonly E[] => chains.get(surveyId) ?? [];
  return {
    of,
    delivered(detail: E): void {
      const { eventId, sequence } = detail.meta;
      const { surveyId } = detail.data;
      const violate = (wrong: string): void =>
        world.violate(rule, `${type} ${sequence} of survey ${surveyId} ${wrong}`);
      const chain = of(surveyId);
      const same = chain.find(({ meta }) => meta.eventId === eventId);
      if (same !== undefined) {
        repeated?.();
        if (!isDeepStrictEqual(same, detail)) violate("came with two contents");
        return;
      }
      if (sequence !== chain.length + 1) violate("does not follow the one before");
      const wrong = wrongLink(detail, chain.at(-1));
      if (wrong !== undefined) violate(wrong);
      chains.set(surveyId, [...chain, detail]);
    },
  };
}

type Sums = Pick<BooksClosed["data"], "digest" | "eventIdSum" | "buckets">;

const sumsOf = ({ data: { digest, eventIdSum, buckets } }: BooksClosed): Sums => ({ digest, eventIdSum, buckets });

/** What of closed books is news: their counts, and that they have closed a second time. */
function newsOf({ data }: BooksClosed): object {
  const { asOf: _, survey: __, passes, ...says } = data;
  return { ...says, passes: Math.min(passes, 2) };
}

/** What `books.closed` events say: each digest is that of the events that the bus took. */
export function createBooksTold(
  world: World,
  { deliveries, books }: { deliveries: Deliveries; books(surveyId: number): SurveyState["books"] },
) {
  const chains = createChains<BooksClosed>(world, {
    rule: "books told",
    type: "books.closed",
    repeated: () => world.sometimes("books are told twice, as nobody knew"),
    wrongLink(detail, last) {
      if (detail.meta.previous !== (last?.meta.eventId ?? null)) return "does not name the one before";
      const { listed, ...classes } = detail.data.counts;
      const sum = Object.values(classes).reduce((all: number, count) => all + Number(count), 0);
      if (listed !== sum) return `lists ${listed}, and accounts for ${sum}`;
      return last !== undefined && isDeepStrictEqual(newsOf(last), newsOf(detail)) ? "says nothing new" : undefined;
    },
  });

  /** When the books of a survey were compared with what was told of them last (epoch milliseconds). */
  const comparedAt = new Map<number, number>();

  /** The sums of what the ledger had of a survey's deliveries at a moment (epoch milliseconds). */
  const sumsAt = (surveyId: number, at: number): Sums => {
    let [count, sum, eventIdSum] = [0, 0n, 0n];
    const buckets: number[] = Array(256).fill(0);
    for (const all of deliveries.all()) {
      const known = all.filter((one) => one.surveyId === surveyId && one.settledAt <= at);
      const [first] = known;
      if (first === undefined) continue;
      const revision = Math.max(...known.map((one) => one.revision));
      const id = eventId(world.plan.source.name, surveyId, first.responseId, revision);
      const bucket = Number(`0x${id.slice(0, 2)}`);
      count += 1;
      sum += BigInt(`0x${createHash("sha256").update(id).digest("hex")}`);
      eventIdSum += BigInt(`0x${id.slice(0, 8)}`);
      buckets[bucket] = (buckets[bucket] ?? 0) + 1;
    }
    const digest = { count, sum: (sum % 2n ** 256n).toString(16).padStart(64, "0") };
    return { digest, eventIdSum: `${eventIdSum}`, buckets };
  };

  return {
    delivered: chains.delivered,
    markWritten(surveyId: number, before: SurveyState, after: SurveyState): void {
      const now = world.scheduler.now();
      if (before.comparedAt !== after.comparedAt) comparedAt.set(surveyId, now);
      const { untold } = after;
      if (untold?.type !== "books.closed" || before.told?.eventId === after.told?.eventId) return;
      const { meta, data } = untold.detail;
      const sums = sumsAt(surveyId, now);
      if (isDeepStrictEqual(sums, sumsOf(untold.detail))) return;
      const told = `books.closed ${meta.sequence} has ${data.digest.count} events, the bus ${sums.digest.count}, or others`;
      world.violate("books told", `survey ${surveyId}: ${told}`);
    },
    /** What subscribers do not know of a survey's books, or know wrongly. */
    wrongAtRest({ id: surveyId }: SimSurvey): string | undefined {
      const closed = books(surveyId);
      const told = chains.of(surveyId).at(-1);
      if (closed === undefined) return undefined;
      if (told === undefined) return "nobody was told that they are closed";
      const { counts, deficit } = told.data;
      const says: Record<string, unknown> = { ...closed };
      for (const [name, count] of Object.entries({ ...counts, deficit })) {
        const is = says[name];
        if (count !== is) return `subscribers were told of ${count} ${name}, the books say ${is}`;
      }
      // What went out since then, of responses that are listed no more, the next books tell.
      const then = sumsAt(surveyId, comparedAt.get(surveyId) ?? 0);
      return isDeepStrictEqual(sumsOf(told), then) ? undefined : "their last digest is not that of the bus";
    },
  };
}

/** What `response.deleted` events say: only of what is gone, and of everything that two books in a row have not listed. */
export function createDeletions(world: World, { read }: Pick<Store, "read">, deliveries: Deliveries) {
  /** By survey, the books with which the ledger was compared. */
  const compared = new Map<number, Pick<Books, "startedAt" | "closedAt">[]>();
  const told = new Map<number, string>();
  /** Milliseconds between two books that count, at least. */
  const apart = world.plan.source.rescan.full / 8;

  return {
    markWritten(surveyId: number, before: SurveyState, after: SurveyState): void {
      if (after.comparedAt === undefined || before.comparedAt === after.comparedAt) return;
      if (after.books !== undefined) compared.set(surveyId, [...(compared.get(surveyId) ?? []), after.books]);
    },
    delivered({ meta, data }: ResponseDeleted): void {
      const { surveyId, responseId, lastEventId } = data;
      const name = `${surveyId}/${responseId}`;
      if (world.responses.get(responseId)?.removedAt === undefined) {
        world.violate("deleted", `${name} is listed, and subscribers were told that it is deleted`);
      }
      const before = told.get(responseId);
      if (before === undefined) {
        world.sometimes("subscribers are told of a deletion");
        const { gone } = read(surveyId, [responseId]).get(responseId) ?? {};
        // The books that miss it now are the second ones that do.
        if (gone === undefined || gone.since > Date.parse(data.observedAt) - apart)
          world.violate("deleted", `${name} was told to be deleted, and no two books apart have missed it`);
      } else if (before !== meta.eventId) world.violate("deleted", `the deletion of ${name} was told as two events`);
      told.set(responseId, meta.eventId);
      const revision = Math.max(...deliveries.of(responseId).map((one) => one.revision));
      const last = eventId(world.plan.source.name, surveyId, responseId, revision);
      if (lastEventId !== last) world.violate("deleted", `the deletion of ${name} does not name its last event`);
    },
    /** Who has gone, and nobody was told. */
    wrongAtRest({ id, responses }: SimSurvey): string | undefined {
      const begun = compared.get(id) ?? [];
      const untold = responses.find(({ id: responseId, removedAt = Infinity }) => {
        const settledAt = deliveries.of(responseId)[0]?.settledAt ?? Infinity;
        const since = begun.filter(({ startedAt }) => startedAt > removedAt && startedAt > settledAt);
        const [first, last] = [since[0]?.closedAt ?? Infinity, since.at(-1)?.closedAt ?? 0];
        return last - first >= apart && !told.has(responseId);
      });
      return untold === undefined ? undefined : `${untold.id} is deleted, and nobody was told`;
    },
  };
}
