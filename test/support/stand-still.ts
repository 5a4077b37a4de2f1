import type { LedgerEntry } from "../../lib/polling/index.ts";
import type { MemoryWorld } from "./memory-ports.ts";
import { MINUTE } from "./survey.ts";

/**
 * Lets a worker, owner "test", stand still for a minute before it writes such an entry. It prolongs no lease then, and `meanwhile` is done.
 */
export function standStillAt(
  world: MemoryWorld,
  entry: (one: LedgerEntry) => boolean,
  meanwhile: () => Promise<unknown>,
): void {
  const goesOn = Promise.withResolvers<void>();
  let stands = false;
  world.before.push(async ({ operation, args }) => {
    if (stands && operation === "renew" && (args[0] as { owner: string }).owner.startsWith("test/"))
      await goesOn.promise;
    if (operation !== "putEntries" || stands || !(args[1] as LedgerEntry[]).some(entry)) return;
    stands = true;
    world.time.now += MINUTE;
    await meanwhile();
    goesOn.resolve();
  });
}
