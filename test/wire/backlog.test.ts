import { describe, test } from "vitest";
import { expectBacklogOnce } from "./support/expect-backlog-once.ts";

// Of one response's records, in asc and in desc lists: the same in both, or mirrored. The other combinations are in the long suite.

describe("500 responses that were there before", () => {
  test.each([["dateStart", { asc: "ascending", desc: "descending" }]] as const)(
    "listed by %s, records %j: each once, and never again",
    expectBacklogOnce,
  );
});
