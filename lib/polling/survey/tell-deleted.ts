import pLimit from "p-limit";
import { buildDeleted } from "../../events/build/build-deleted.ts";
import { answerOf, isTrusted } from "../contents/operation9.ts";
import type { PollContext } from "../context.ts";
import { holdLease } from "../lease.ts";
import { tell } from "../ledger/tell.ts";
import type { EmittedResponse, LedgerEntry } from "../model/ledger-entry.ts";

// Emitted responses that are listed no more (R20).

/** Responses told of together. */
const AT_ONCE = 100;
/** Requests for single responses at once. */
const REQUESTS = 8;

/**
 * Notes which emitted responses books do not list, and tells subscribers of those that the books before have missed, too. Whom a trusted operation 9
 * does not say to be gone is looked at again with the next books. What the bus did not take is told by a later poll.
 *
 * @param closedAt of the books, in epoch milliseconds
 */
export async function tellMissing(ctx: PollContext, missing: EmittedResponse[], closedAt: number): Promise<void> {
  const fresh = missing.filter(({ gone }) => gone === undefined);
  await note(ctx, fresh, (entry) => ({ ...entry, gone: { since: closedAt } }));
  if (!ctx.source.events.has("response.deleted")) return;
  const twice = missing.filter(({ gone }) => gone !== undefined && gone.told !== true && gone.since < closedAt);
  const given = await givenOf(ctx, twice);
  await note(
    ctx,
    twice.filter(({ id }) => !given.has(id)),
    (entry) => ({ ...entry, gone: { since: closedAt, told: true } }),
    (entries) =>
      tell(
        ctx,
        entries.map((entry) => deleted(ctx, entry, closedAt)),
      ),
  );
}

/** Notes that responses are listed again. Those told to be deleted get a new event, by the next walk that meets them: that takes the deletion back. */
export async function noteListed(ctx: PollContext, again: EmittedResponse[]): Promise<void> {
  const told = again.filter(({ gone }) => gone?.told === true);
  await note(ctx, told, ({ gone: _, ...entry }) => ({ ...entry, count: 0, attempts: 0 }));
  if (told.length > 0) ctx.mark.nextPass = ctx.ports.clock.now();
  await note(
    ctx,
    again.filter((one) => !told.includes(one)),
    ({ gone: _, ...entry }) => entry,
  );
}

/** Writes the entries of some responses anew, some at a time; `before`: what is done before that. */
async function note(
  ctx: PollContext,
  responses: EmittedResponse[],
  change: (entry: LedgerEntry) => LedgerEntry,
  before?: (entries: LedgerEntry[]) => Promise<void>,
): Promise<void> {
  const { ports, surveyId } = ctx;
  for (let i = 0; i < responses.length; i += AT_ONCE) {
    const ids = responses.slice(i, i + AT_ONCE).map(({ id }) => id);
    const entries = [...(await ports.state.entries(surveyId, ids)).values()];
    await before?.(entries);
    await holdLease(ctx);
    await ports.state.putEntries(surveyId, entries.map(change));
  }
}

/** Those of some responses that operation 9 gives where it is trusted, or of which it says nothing now. */
async function givenOf(ctx: PollContext, responses: EmittedResponse[]): Promise<Set<number>> {
  if (!isTrusted(ctx.mark)) return new Set();
  const limit = pLimit(REQUESTS);
  const answers = await Promise.all(responses.map(({ id }) => limit(() => answerOf(ctx, id))));
  return new Set(responses.flatMap(({ id }, i) => (answers[i]?.length === 0 ? [] : [id])));
}

function deleted({ source, surveyId, mark, ports }: PollContext, entry: LedgerEntry, observedAt: number) {
  const time = ports.clock.now();
  const detail = buildDeleted({
    sourceName: source.name,
    surveyId,
    responseId: Number(entry.id),
    survey: mark.survey?.facts,
    revision: entry.revision ?? 1,
    lastEventId: entry.eventId ?? "",
    observedAt,
    detectedAt: time,
  });
  return { type: "response.deleted", detail, time } as const;
}
