import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { type BooksClosed, eventId } from "../../../lib/events/index.ts";
import type { SurveyState } from "../../../lib/polling/index.ts";
import type { SimSurvey } from "../service/survey-model.ts";
import type { World } from "../world.ts";
import { createChains } from "./chains.ts";
import type { Deliveries } from "./deliveries.ts";

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
