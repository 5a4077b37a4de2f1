/** Rejects with the first failure, but not before all are over: whoever is told of it has nothing under way any more. */
export async function allOver(all: Iterable<Promise<unknown>>): Promise<void> {
  for (const outcome of await Promise.allSettled(all)) if (outcome.status === "rejected") throw outcome.reason;
}
