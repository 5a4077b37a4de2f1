import * as z from "zod";
import { section } from "../config/fields.ts";
import { checkOwnState } from "../polling/index.ts";
import { operation } from "./operation.ts";

/** Events after which an invocation gives what it has: Lambda takes an answer of 6 MB. */
const MOST = 20_000;

/** The events of a survey in some buckets of its books: what a subscriber that differs compares. Forgotten responses are left out. */
export const emitted = operation({
  input: section({
    surveyId: z.int().nonnegative(),
    /** First bytes of event ids, as `data.buckets` of closed books counts them. */
    buckets: z.array(z.int().min(0).max(255)).nonempty().max(256),
    /** As the invocation before has given it. */
    from: z.string().optional(),
  }),
  async run({ graph: { source, service }, ports: { state, clock }, deadline }, { surveyId, buckets, from }) {
    checkOwnState(await state.account(), { source, service });
    const isAsked = new Set(buckets);
    /** Last events of responses. `emittedAt` is in epoch milliseconds. */
    const events: { responseId: number; eventId: string; emittedAt: number }[] = [];
    let next = from;
    do {
      const page = await state.emitted(surveyId, next);
      for (const { id, eventId, emittedAt } of page.entries) {
        const isForgotten = emittedAt === 0;
        if (isForgotten || !isAsked.has(Number.parseInt(eventId.slice(0, 2), 16))) continue;
        events.push({ responseId: id, eventId, emittedAt });
      }
      next = page.next;
    } while (next !== undefined && events.length < MOST && clock.now() < deadline);
    // Where another invocation goes on.
    return { events, ...(next === undefined ? {} : { next }) };
  },
});
