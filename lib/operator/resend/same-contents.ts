import { classOf, digestOf } from "../../polling/model/records.ts";
import { type ReadAgain, type Resending, type Resent, resent } from "./resending.ts";

/**
 * Why a response may not go out under the id of its last event; undefined where it may. It may where its contents are those of that event,
 * by their digest and number: no revision has two contents (R19).
 */
export function whyNot(ctx: Resending, { entry, run, isWhole }: ReadAgain): Resent | undefined {
  const { digest, count, refusedRevision } = entry;
  if (digest === undefined) return resent(entry, "unproved", "no digest of its event is known");
  // The digest is that of the contents which the bus has refused, and no longer that of the event.
  if (refusedRevision !== undefined) return changed(ctx, entry);
  if (classOf(run) === "completed" && run.records.length === count && digestOf(run) === digest) return undefined;
  return isWhole ? changed(ctx, entry) : resent(entry, "unproved", "not all of its records could be read at once");
}

function changed({ source }: Resending, entry: ReadAgain["entry"]): Resent {
  const { revision = 1, next } = entry;
  const update = source.events.has("response.updated") ? (next?.revision ?? revision + 1) : null;
  return { ...resent(entry, "changed"), update };
}
