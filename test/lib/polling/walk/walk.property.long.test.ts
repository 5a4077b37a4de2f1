import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { histories, order, pastEnd, responses } from "../../../support/moving-histories.ts";
import { flaw, type ListedResponse, type MovingList, movingList, shuffled } from "../../../support/moving-list.ts";
import { walkAll } from "./walk-all.ts";

const SEED = 20_261_125;
const MOST_READS = 3_000;

const check = (property: fc.IAsyncProperty<unknown>, numRuns: number): Promise<void> =>
  fc.assert(property as fc.IAsyncProperty<[unknown]>, { seed: SEED, numRuns });

const flaws = (runs: Parameters<typeof flaw>[0][], list: MovingList): string[] =>
  runs.map((run) => flaw(run, list)).filter((text) => text !== undefined);
const ids = (pieces: { responseId: number }[]): number[] => pieces.map(({ responseId }) => responseId);
const newOnes = (list: ListedResponse[]): number[] =>
  list.filter(({ verdict }) => verdict === "whole").map(({ id }) => id);
const sorted = (numbers: number[]): number[] => [...numbers].sort((a, b) => a - b);
const proves = fc.constantFrom("contents" as const, "coverage" as const);
const still = fc.record({ list: responses(40), order, pastEnd, proves });

describe("a list that holds still", () => {
  it.each(["none", "records", "responses"] as const)(
    "hands every response out once and whole; ties: %s",
    async (ties) => {
      await check(
        fc.asyncProperty(still, async ({ list: initial, order, pastEnd, proves }) => {
          const list = movingList(initial, new Map(), { order, pastEnd, ties });
          const { whole, cut, end } = await walkAll(list, { proves });

          expect(flaws(whole, list)).toEqual([]);
          expect(sorted(ids(whole))).toEqual(newOnes(initial));
          expect(cut).toEqual([]);
          expect(end).toMatchObject({ kind: "end", covered: true, moved: false });
          expect(list.reads.length).toBeLessThanOrEqual(2.5 * list.pages() + 6 + list.endReads());
        }),
        400,
      );
    },
  );
});

describe("a list that moves while it is read", () => {
  for (const [name, history] of Object.entries(histories)) {
    for (const ties of ["none", "records", "responses"] as const) {
      it(`never hands out a cut response, and none twice: ${name}; ties: ${ties}`, async () => {
        await check(
          fc.asyncProperty(still, history, async ({ list: initial, order, pastEnd, proves }, changes) => {
            // What is cut in the midst of its page, by a list that moves as well, only reading every page twice shows.
            fc.pre(ties !== "responses" || proves === "coverage");
            const list = movingList(initial, changes, { order, pastEnd, ties });
            const { whole, cut, end } = await walkAll(list, { proves });
            fc.pre(!list.changedAndBack());

            expect(flaws(whole, list)).toEqual([]);
            expect(new Set([...ids(whole), ...ids(cut)]).size).toBe(whole.length + cut.length);
            expect(list.reads.length).toBeLessThan(MOST_READS);
            const stayed = initial.filter(({ id, verdict }) => verdict === "whole" && !list.passing.has(id));
            const accounted = new Set([...ids(whole), ...ids(cut)]);
            if (proves === "coverage" && end.covered) expect(stayed.filter(({ id }) => !accounted.has(id))).toEqual([]);
          }),
          400,
        );
      });
    }
    it(`nor where several requests are on their way: ${name}`, async () => {
      await check(
        fc.asyncProperty(
          still,
          history,
          fc.array(fc.nat(20), { minLength: 1, maxLength: 40 }),
          async ({ list: initial, order, pastEnd }, changes, choices) => {
            const list = movingList(initial, changes, { order, pastEnd });
            const { whole, cut, end } = await walkAll(list, { proves: "coverage", read: shuffled(list, choices) });
            fc.pre(!list.changedAndBack());
            expect(flaws(whole, list)).toEqual([]);
            const stayed = initial.filter(({ id, verdict }) => verdict === "whole" && !list.passing.has(id));
            const accounted = new Set([...ids(whole), ...ids(cut)]);
            if (end.covered) expect(stayed.filter(({ id }) => !accounted.has(id))).toEqual([]);
          },
        ),
        200,
      );
    });
  }
});
