import pLimit from "p-limit";
import { buildDeleted } from "../../events/build/build-deleted.ts";
import { keepGone } from "../books/compare-ledger.ts";
import { loadIds } from "../books/id-set.ts";
import { answerOf, isTrusted } from "../contents/operation9.ts";
import type { PollContext } from "../context.ts";
import { tell } from "../ledger/tell.ts";
import type { LedgerEntry } from "../model/ledger-entry.ts";

/** Responses told of together. */
const AT_ONCE = 100;
/** Requests for single responses at once. */
const REQUESTS = 8;

/** Whether subscribers are to be told of deleted responses. */
export function hasDeleted({ mark, source }: Pick<PollContext, "mark" | "source">): boolean {
  return mark.gone?.untold !== undefined && source.events.has("response.deleted");
}

/**
 * Tells subscribers of responses that books have missed twice in a row (R20). Whom a trusted operation 9 does not say to be gone is looked at again with
 * the next books. What the bus did not take is told by the next poll.
 */
export async function tellDeleted(ctx: PollContext): Promise<void> {
  const { mark, ports, surveyId, deadline } = ctx;
  while (hasDeleted(ctx) && ports.clock.now() < deadline) {
    const { gone = { at: 0 } } = mark;
    const load = async (name: "once" | "untold" | "told") => [...((await loadIds(ctx, gone[name])) ?? [])];
    const [once, untold, told] = await Promise.all([load("once"), load("untold"), load("told")]);
    const some = untold.splice(0, AT_ONCE);
    const entries = await ports.state.entries(surveyId, some);
    const given = await givenOf(ctx, some);
    await tell(
      ctx,
      some.flatMap((id) => {
        const entry = entries.get(id);
        return entry === undefined || given.has(id) ? [] : [deleted(ctx, id, entry, gone.at)];
      }),
    );
    const isGiven = (id: number): boolean => given.has(id);
    mark.gone = await keepGone(ctx, gone.at, {
      once: [...once, ...some.filter(isGiven)],
      untold,
      told: [...told, ...some.filter((id) => !isGiven(id))],
    });
  }
}

/** Those of some responses that operation 9 gives where it is trusted, or of which it says nothing now. */
async function givenOf(ctx: PollContext, ids: readonly number[]): Promise<Set<number>> {
  if (!isTrusted(ctx.mark)) return new Set();
  const limit = pLimit(REQUESTS);
  const answers = await Promise.all(ids.map((id) => limit(() => answerOf(ctx, id))));
  return new Set(ids.filter((_, i) => answers[i]?.length !== 0));
}

function deleted({ source, surveyId, mark, ports }: PollContext, id: number, entry: LedgerEntry, at: number) {
  const time = ports.clock.now();
  const { revision = 1, eventId = "" } = entry;
  const detail = buildDeleted({
    sourceName: source.name,
    surveyId,
    responseId: id,
    survey: mark.survey?.facts,
    revision,
    lastEventId: eventId,
    observedAt: at,
    detectedAt: time,
  });
  return { type: "response.deleted", detail, time } as const;
}
