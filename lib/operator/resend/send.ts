import { errorCode } from "../../errors.ts";
import { endsWork } from "../../polling/errors.ts";
import type { SealedEvent } from "../../polling/ports.ts";
import { batchLength } from "../../polling/publish/publish-batch.ts";
import { isForgotten } from "../forgotten.ts";
import { type Remade, remake } from "./remake.ts";
import { type EmittedEntry, type ReadAgain, type Resending, type Resent, resent } from "./resending.ts";
import { whyNot } from "./same-contents.ts";

interface Ready {
  entry: EmittedEntry;
  sealed: SealedEvent;
}

/** Responses whose events are made and published under one lease: news wait for it. */
const AT_ONCE = 20;

/** Sends the events of responses whose contents are still those of their event, and says what became of each. */
export async function sendSame(ctx: Resending, read: readonly ReadAgain[]): Promise<Resent[]> {
  const results: Resent[] = [];
  const same = read.filter((one) => {
    const reason = whyNot(ctx, one);
    if (reason !== undefined) results.push(reason);
    return reason === undefined;
  });
  for (let i = 0; i < same.length; i += AT_ONCE) {
    const some = same.slice(i, i + AT_ONCE);
    const sent = await ctx.underLease((hold) => sendHeld(ctx, some, hold));
    results.push(...(sent ?? some.map(({ entry }) => resent(entry, "failed", "SURVEY_BUSY"))));
  }
  return results;
}

/** Under the lease, so that nobody replaces or forgets any of them meanwhile: what has become another one since it was read is left out. */
async function sendHeld(ctx: Resending, read: readonly ReadAgain[], hold: () => Promise<void>): Promise<Resent[]> {
  const { ports, surveyId } = ctx;
  const entries = await ports.state.entries(
    surveyId,
    read.map(({ entry }) => entry.id),
  );
  const [results, ready]: [Resent[], Ready[]] = [[], []];
  const same = read.filter(({ entry }) => {
    const now = entries.get(entry.id);
    const isSame = now?.eventId === entry.eventId && now.digest === entry.digest && !isForgotten(now);
    if (!isSame) results.push(resent(entry, "failed", "CHANGED_MEANWHILE"));
    return isSame;
  });
  const made = await Promise.all(same.map((one) => remakeByItself(ctx, one)));
  for (const [i, { entry }] of same.entries()) {
    const event = made[i] ?? { failure: "UNKNOWN" };
    if ("sealed" in event) ready.push({ entry, sealed: event.sealed });
    else results.push(resent(entry, "failed", event.failure));
  }
  results.push(...(await publish(ctx, ready, hold)));
  return results;
}

/** One of which the answers have no place, say, keeps none of the others from it. */
async function remakeByItself(ctx: Resending, one: ReadAgain): Promise<Remade> {
  try {
    return await remake(ctx, one);
  } catch (error) {
    if (endsWork(error)) throw error;
    return { failure: errorCode(error) };
  }
}

async function publish({ ports }: Resending, ready: readonly Ready[], hold: () => Promise<void>): Promise<Resent[]> {
  const results: Resent[] = [];
  for (let rest = [...ready]; rest.length > 0; ) {
    const batch = rest.splice(0, batchLength(rest));
    const outcomes = await ports.publisher.publish(
      batch.map(({ sealed }) => sealed),
      hold,
    );
    for (const [i, { entry }] of batch.entries()) {
      const outcome = outcomes[i] ?? { kind: "failed", code: "UNKNOWN" };
      if (outcome.kind === "published") results.push(resent(entry, "sent"));
      else results.push(resent(entry, outcome.kind, `bus:${outcome.code}`));
    }
  }
  return results;
}
