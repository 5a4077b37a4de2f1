// Batches that the service does in part: which entries it does, and its answer.

type Json = Record<string, unknown>;

/** What is left of a request to be done, undefined where nothing is, and the answer to the whole of it. */
interface Part {
  rest: Json | undefined;
  answer(done: Json): Json;
}

type Split = (request: Json, random: () => number) => Part | "throttle";

/** The operations that can fail in part. */
export const splits: Readonly<Record<string, Split>> = {
  PutEvents(request, random) {
    const entries = request.Entries as unknown[];
    const failing = chooseFailing(entries.length, random);
    const rest = entries.filter((_, index) => !failing.has(index));
    // The two codes that AWS documents as worth a retry, so that both paths of a publisher are walked.
    const codes = ["ThrottlingException", "InternalFailure"];
    return {
      rest: rest.length === 0 ? undefined : { ...request, Entries: rest },
      answer({ FailedEntryCount = 0, Entries = [] }) {
        const done = (Entries as unknown[]).values();
        const failed = (index: number) => ({ ErrorCode: codes[index % 2], ErrorMessage: "Rate exceeded" });
        return {
          FailedEntryCount: Number(FailedEntryCount) + failing.size,
          Entries: entries.map((_, index) => (failing.has(index) ? failed(index) : done.next().value)),
        };
      },
    };
  },
  BatchWriteItem(request, random) {
    const [[table, items] = ["", []]] = Object.entries(request.RequestItems as Record<string, unknown[]>);
    const { kept, failed } = divide(items, random);
    // DynamoDB fails a batch of which nothing would be done as a whole.
    if (kept.length === 0) return "throttle";
    return {
      rest: { ...request, RequestItems: { [table]: kept } },
      answer: (done) => ({ ...done, UnprocessedItems: { [table]: failed } }),
    };
  },
  BatchGetItem(request, random) {
    const [[table, keys] = ["", { Keys: [] }]] = Object.entries(
      request.RequestItems as Record<string, { Keys: unknown[] }>,
    );
    const { kept, failed } = divide(keys.Keys, random);
    if (kept.length === 0) return "throttle";
    return {
      rest: { ...request, RequestItems: { [table]: { ...keys, Keys: kept } } },
      answer: (done) => ({ ...done, UnprocessedKeys: { [table]: { ...keys, Keys: failed } } }),
    };
  },
};

function divide(items: readonly unknown[], random: () => number): { kept: unknown[]; failed: unknown[] } {
  const failing = chooseFailing(items.length, random);
  return { kept: items.filter((_, i) => !failing.has(i)), failed: items.filter((_, i) => failing.has(i)) };
}

/** At least one fails, and not all when there are several. */
function chooseFailing(count: number, random: () => number): Set<number> {
  const wanted = count < 2 ? count : 1 + Math.floor(random() * (count - 1));
  const failing = new Set<number>();
  while (failing.size < wanted) failing.add(Math.floor(random() * count));
  return failing;
}
