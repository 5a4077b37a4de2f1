import { join } from "node:path";
import { expect, it } from "vitest";
import type { Outcome } from "../history.ts";
import { noCuts } from "../plan/chooser.ts";
import { runPool } from "./pool.ts";

it("tells of a history without an end, and goes on with the others", async () => {
  const outcomes: Outcome[] = [];
  await runPool({
    root: join(import.meta.dirname, "endless-history"),
    seed: 1,
    seeds: 7,
    cuts: noCuts,
    threads: 2,
    patience: 3_000,
    take: (outcome) => outcomes.push(outcome) > 0,
  });
  const told = outcomes.map(({ seed, violations }) => [seed, violations.map(({ rule }) => rule)] as const);
  expect(told.sort(([a], [b]) => a - b)).toEqual(
    [1, 2, 3, 4, 5, 6, 7].map((seed) => [seed, seed % 3 ? [] : ["endless"]]),
  );
});
