import pLimit from "p-limit";
import { buildDeleted } from "../../events/build/build-deleted.ts";
import { answerOf, isTrusted } from "../contents/single-read.ts";
import type { PollContext } from "../context.ts";
import { holdLease } from "../lease.ts";
import { factsOf, tell } from "../ledger/tell.ts";
import type { EmittedResponse, LedgerEntry } from "../model/ledger-entry.ts";

// Emitted responses that are listed no more (R20).

/** Responses dealt with together. */
const AT_ONCE = 100;
/** Requests for single responses at once. */
const REQUESTS = 8;

/**
 * Notes which emitted responses the books do not list, and tells subscribers of those that the last books have missed, too. A response that a trusted operation 9
 * does not say to be gone is looked at again with the next books. An event that the bus did not take is told by a later poll. False when the time is up: a later
 * poll goes on with the rest.
 *
 * @param closedAt of the books, in epoch milliseconds
 */
export async function tellMissing(ctx: PollContext, missing: EmittedResponse[], closedAt: number): Promise<boolean> {
  const fresh = missing.filter(({ gone }) => gone === undefined);
  // fault: missing-once-is-deleted
  const twice = missing.filter(({ gone }) => gone !== undefined && gone.told !== true && gone.since < closedAt);
  const isNoted = await note(ctx, fresh, async (entries) =>
    entries.map((entry) => ({ ...entry, gone: { since: closedAt } })),
  );
  if (!isNoted || !ctx.source.events.has("response.deleted")) return isNoted;
  return note(ctx, twice, async (entries) => {
    const gone = await goneOf(ctx, entries);
    const events = gone.map((entry) => deleted(ctx, entry, closedAt));
    // fault: deletion-untold
    await tell(ctx, events);
    return gone.map((entry) => ({ ...entry, gone: { since: closedAt, told: true } }));
  });
}

/** Notes that responses are listed again. Those told to be deleted get a new event, by the next walk that meets them: that takes the deletion back. */
export async function noteListed(ctx: PollContext, again: EmittedResponse[]): Promise<boolean> {
  if (again.some(({ gone }) => gone?.told === true)) ctx.mark.nextPass = ctx.ports.clock.now();
  return note(ctx, again, async (entries) =>
    entries.map(({ gone, ...entry }) => (gone?.told && "count" in entry ? { ...entry, count: 0, attempts: 0 } : entry)),
  );
}

/** Writes entries of some responses anew, some at a time, as `change` gives them. False when the time was up before the last. */
async function note(
  ctx: PollContext,
  responses: EmittedResponse[],
  change: (entries: LedgerEntry[]) => Promise<LedgerEntry[]>,
): Promise<boolean> {
  const { ports, surveyId, deadline } = ctx;
  for (let i = 0; i < responses.length; i += AT_ONCE) {
    if (i > 0 && ports.clock.now() > deadline) return false;
    const ids = responses.slice(i, i + AT_ONCE).map(({ id }) => id);
    const entries = await change([...(await ports.state.entries(surveyId, ids)).values()]);
    await holdLease(ctx);
    await ports.state.putEntries(surveyId, entries);
  }
  return true;
}

/** The responses of which a trusted operation 9 says that they are not there, or all where it is not trusted. */
async function goneOf(ctx: PollContext, entries: LedgerEntry[]): Promise<LedgerEntry[]> {
  if (!isTrusted(ctx)) return entries;
  const limit = pLimit(REQUESTS);
  const answers = await Promise.all(entries.map(({ id }) => limit(() => answerOf(ctx, Number(id)))));
  return entries.filter((_, i) => answers[i]?.length === 0);
}

function deleted(ctx: PollContext, { id, revision = 1, eventId = "" }: LedgerEntry, observedAt: number) {
  const facts = factsOf(ctx);
  const detail = buildDeleted({ ...facts, responseId: Number(id), revision, lastEventId: eventId, observedAt });
  return { type: "response.deleted", detail, time: facts.detectedAt } as const;
}
