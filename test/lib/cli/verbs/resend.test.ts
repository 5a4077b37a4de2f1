import { expect, it } from "vitest";
import { inParts } from "../../../../lib/cli/verbs/resend.ts";

it("what is left of 5,000 events goes on at its page before the next ones begin", async () => {
  const ids = Array.from({ length: 8_000 }, (_, i) => i);
  const calls: [count: number, page: number | undefined][] = [];
  const parts = inParts(1, ids, async ({ responseIds, from }) => {
    calls.push([responseIds.length, from?.page]);
    const isCut = calls.length === 1;
    return {
      results: [],
      left: isCut ? responseIds.slice(2_000) : [],
      from: isCut ? { page: 40, isPartial: false } : undefined,
    };
  });
  for await (const _ of parts);

  expect(calls).toEqual([
    [5_000, undefined],
    [3_000, 40],
    [3_000, undefined],
  ]);
});
