import { errorCode } from "../../errors.ts";
import { endsWork } from "../../polling/errors.ts";
import type { SealedEvent } from "../../polling/ports.ts";
import { batchLength } from "../../polling/publish/publish-batch.ts";
import { type Remade, remake } from "./remake.ts";
import { type EmittedEntry, type ReadAgain, type Resending, type Resent, resent } from "./resending.ts";
import { whyNot } from "./same-contents.ts";

interface Ready {
  entry: EmittedEntry;
  sealed: SealedEvent;
}

/** Sends the events of responses whose contents are still those of their event, and says what became of each. */
export async function sendSame(ctx: Resending, read: readonly ReadAgain[]): Promise<Resent[]> {
  const results: Resent[] = [];
  const ready: Ready[] = [];
  const same = read.filter((one) => {
    const reason = whyNot(ctx, one);
    if (reason !== undefined) results.push(reason);
    return reason === undefined;
  });
  const made = await Promise.all(same.map((one) => remakeByItself(ctx, one)));
  for (const [i, { entry }] of same.entries()) {
    const event = made[i] ?? { failure: "UNKNOWN" };
    if ("sealed" in event) ready.push({ entry, sealed: event.sealed });
    else results.push(resent(entry, "failed", event.failure));
  }
  results.push(...(await publish(ctx, ready)));
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

async function publish({ ports }: Resending, ready: readonly Ready[]): Promise<Resent[]> {
  const results: Resent[] = [];
  for (let rest = [...ready]; rest.length > 0; ) {
    const batch = rest.splice(0, batchLength(rest));
    // A repeat needs no lease: whoever polls meanwhile can only send the same once more, or a later revision.
    const outcomes = await ports.publisher.publish(
      batch.map(({ sealed }) => sealed),
      async () => {},
    );
    for (const [i, { entry }] of batch.entries()) {
      const outcome = outcomes[i] ?? { kind: "failed", code: "UNKNOWN" };
      if (outcome.kind === "published") results.push(resent(entry, "sent"));
      else results.push(resent(entry, outcome.kind, `bus:${outcome.code}`));
    }
  }
  return results;
}
