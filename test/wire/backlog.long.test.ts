import { describe, test } from "vitest";
import { expectBacklogOnce } from "./support/expect-backlog-once.ts";

// Of one response's records, in asc and in desc lists: the same in both, or mirrored. The other combinations are in the suite of every day.

describe("500 responses that were there before", () => {
  test.each([
    ["responseId", { asc: "ascending", desc: "ascending" }],
    ["dateCompleted", { asc: "ascending", desc: "ascending" }],
    ["hash", { asc: "ascending", desc: "descending" }],
    ["responseId", { asc: "ascending", desc: "descending" }],
    ["dateStart", { asc: "ascending", desc: "ascending" }],
    ["dateCompleted", { asc: "ascending", desc: "descending" }],
    ["hash", { asc: "ascending", desc: "ascending" }],
  ] as const)("listed by %s, records %j: each once, and never again", expectBacklogOnce);
});
