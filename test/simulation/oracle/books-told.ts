import { createHash } from "node:crypto";
import type { BooksClosed } from "../../../lib/events/index.ts";
import { eventId } from "../../../lib/events/index.ts";
import type { SurveyState } from "../../../lib/polling/index.ts";
import type { World } from "../world.ts";
import type { Deliveries } from "./deliveries.ts";
import type { Violations } from "./violations.ts";

// What `books.closed` events say: a chain without gaps, one content for each id, and each digest that of the events the bus took.

export interface BooksTold {
  markWritten(surveyId: number, before: SurveyState, after: SurveyState): void;
  delivered(detail: BooksClosed): void;
  /** What subscribers do not know of a survey's books, or know wrongly. */
  wrongAtRest(surveyId: number): string | undefined;
}

type Sums = Pick<BooksClosed["data"], "digest" | "eventIdSum" | "buckets">;

/** What of closed books is news: their counts, and that they have closed a second time. */
function newsOf({ data }: BooksClosed): object {
  const { asOf: _, survey: __, passes, ...says } = data;
  return { ...says, passes: Math.min(passes, 2) };
}

export function createBooksTold(
  world: World,
  violations: Violations,
  { deliveries, books }: { deliveries: Deliveries; books(surveyId: number): SurveyState["books"] },
): BooksTold {
  const chains = new Map<number, BooksClosed[]>();
  const chainOf = (surveyId: number): BooksClosed[] => {
    const chain = chains.get(surveyId) ?? [];
    chains.set(surveyId, chain);
    return chain;
  };

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
      count += 1;
      sum += BigInt(`0x${createHash("sha256").update(id).digest("hex")}`);
      eventIdSum += BigInt(`0x${id.slice(0, 8)}`);
      buckets[Number(`0x${id.slice(0, 2)}`)] = (buckets[Number(`0x${id.slice(0, 2)}`)] ?? 0) + 1;
    }
    const digest = { count, sum: (sum % 2n ** 256n).toString(16).padStart(64, "0") };
    return { digest, eventIdSum: `${eventIdSum}`, buckets };
  };
  const sumsOf = ({ data: { digest, eventIdSum, buckets } }: BooksClosed): Sums => ({ digest, eventIdSum, buckets });
  const same = (one: object, other: object): boolean => JSON.stringify(one) === JSON.stringify(other);

  return {
    markWritten(surveyId, before, after) {
      const now = world.scheduler.now();
      if (before.comparedAt !== after.comparedAt) comparedAt.set(surveyId, now);
      const { untold } = after;
      if (untold?.type !== "books.closed" || before.told?.eventId === after.told?.eventId) return;
      const { detail } = untold;
      const sums = sumsAt(surveyId, now);
      if (same(sums, sumsOf(detail))) return;
      const { sequence } = detail.meta;
      const told = `books.closed ${sequence} has ${detail.data.digest.count} events, the bus ${sums.digest.count}, or others`;
      violations.add("books told", `survey ${surveyId}: ${told}`);
    },
    delivered(detail) {
      const { surveyId, counts } = detail.data;
      const chain = chainOf(surveyId);
      const repeated = chain.find(({ meta }) => meta.eventId === detail.meta.eventId);
      const name = `survey ${surveyId}: books.closed ${detail.meta.sequence}`;
      if (repeated !== undefined) {
        world.sometimes("books are told twice, as nobody knew");
        if (!same(repeated, detail)) violations.add("books told", `${name} came with two contents`);
        return;
      }
      const last = chain.at(-1);
      if (detail.meta.sequence !== chain.length + 1 || detail.meta.previous !== (last?.meta.eventId ?? null)) {
        violations.add("books told", `${name} does not follow ${last?.meta.sequence ?? "nothing"}`);
      }
      const { listed, ...classes } = counts;
      const sum = Object.values(classes).reduce((all: number, count) => all + Number(count), 0);
      if (listed !== sum) violations.add("books told", `${name} lists ${listed}, and accounts for ${sum}`);
      const says = newsOf(detail);
      if (last !== undefined) {
        if (same(newsOf(last), says)) violations.add("books told", `${name} says nothing new`);
      }
      chain.push(detail);
    },
    wrongAtRest(surveyId) {
      const closed = books(surveyId);
      const told = chainOf(surveyId).at(-1);
      if (closed === undefined) return undefined;
      if (told === undefined) return "nobody was told that they are closed";
      const { counts, deficit } = told.data;
      const says: Record<string, unknown> = { ...closed };
      for (const [name, count] of Object.entries(counts)) {
        const is = says[name];
        if (count !== is) return `subscribers were told of ${count} ${name}, the books say ${is}`;
      }
      if (deficit !== closed.deficit)
        return `subscribers were told of a deficit of ${deficit}, the books say ${closed.deficit}`;
      // What went out since then, of responses that are listed no more, the next books tell.
      const then = sumsAt(surveyId, comparedAt.get(surveyId) ?? 0);
      return same(sumsOf(told), then) ? undefined : "their last digest is not that of the bus";
    },
  };
}
