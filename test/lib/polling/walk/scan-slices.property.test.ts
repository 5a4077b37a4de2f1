import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ScanPosition } from "../../../../lib/polling/model/mark.ts";
import { digestOf, type Run } from "../../../../lib/polling/model/records.ts";
import { positionAfter } from "../../../../lib/polling/routes/slice.ts";
import { type ScanEnd, scan, type Verdict } from "../../../../lib/polling/walk/scan.ts";
import {
  flaw,
  type ListedResponse,
  type MovingList,
  movingList,
  pastEnds,
  type Scanned,
  scanAll,
  type Ties,
} from "../../../support/moving-list.ts";

const size = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 12 }) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 250 }) },
  { weight: 1, arbitrary: fc.constantFrom(1, 50, 99, 100, 101, 200, 250) },
);
const responses = (verdict: fc.Arbitrary<Verdict>): fc.Arbitrary<ListedResponse[]> =>
  fc
    .array(fc.record({ size, verdict }), { maxLength: 40 })
    .map((list) => list.map((response, i) => ({ id: i + 1, ...response })));
const still = (verdict = fc.constantFrom<Verdict>("whole", "settled", "settled", "note")) =>
  fc.record({
    initial: responses(verdict),
    order: fc.constantFrom("asc", "desc"),
    pastEnd: fc.constantFrom(...pastEnds),
    ties: fc.constantFrom<Ties>("none", "records"),
    prove: fc.constantFrom("all", "cuts"),
    /** Whether the ledger knows the digests of settled responses: of those before the floor it does not. */
    digests: fc.boolean(),
  });
type Still = typeof still extends (...args: never[]) => fc.Arbitrary<infer T> ? T : never;

const check = (property: fc.IAsyncProperty<[Still]>, numRuns: number): Promise<void> =>
  fc.assert(property, { seed: 20_261_121, numRuns });

interface Sliced {
  whole: Run[];
  noted: Run[];
  ids: Set<number>;
  slices: number;
  /** Whether any slice was certain that records lie apart. */
  apart: boolean;
  /** Settled responses that were met whole: by these short events are repaired. */
  others: Run[];
  end: ScanEnd;
}

/** Scans in slices of one page each; between two of them only the position is left, and what the ledger holds. */
async function scanInSlices(list: MovingList, { prove, digests, order }: Still): Promise<Sliced> {
  const ledger = new Map<number, string>();
  for (const { id, size: count, verdict } of list.ever.values()) {
    if (verdict === "settled" && digests) ledger.set(id, await digestOfListed(id, count, order));
  }
  const settled = new Set([...list.ever.values()].flatMap(({ id, verdict }) => (verdict === "settled" ? [id] : [])));
  const sliced: Omit<Sliced, "end"> = { whole: [], noted: [], ids: new Set(), slices: 0, apart: false, others: [] };
  let position: ScanPosition = { page: 0 };
  for (;;) {
    sliced.slices += 1;
    if (sliced.slices > 500) throw new Error("the slices do not come to an end");
    const started = position.page;
    const steps = scan({
      from: Math.max(1, position.page),
      ...(position.again === true ? { expect: position.edge } : { after: position.edge }),
      read: list.read,
      judge: async (runs) =>
        new Map(
          runs.map(({ responseId }) => {
            const verdict = settled.has(responseId) ? "settled" : list.ever.get(responseId)?.verdict;
            return [responseId, verdict ?? "whole"];
          }),
        ),
      shortPageEnds: undefined,
      prove,
      known: (responseId) => ledger.get(responseId),
      trustEmpty: false,
    });
    for (;;) {
      const next = await steps.next();
      if (next.done) return { ...sliced, end: next.value };
      const step = next.value;
      sliced.apart ||= step.apart;
      sliced.others.push(...step.others);
      sliced.whole.push(...step.whole);
      sliced.noted.push(...step.noted);
      for (const run of [...step.whole, ...step.noted]) settled.add(run.responseId);
      for (const run of step.whole) ledger.set(run.responseId, digestOf(run));
      for (const id of step.ids) sliced.ids.add(id);
      if (step.runs.length === 0) continue;
      // As it is after it was kept in the mark.
      position = JSON.parse(JSON.stringify(positionAfter(step))) as ScanPosition;
      if (step.page > started) break;
    }
  }
}

async function digestOfListed(id: number, count: number, order: "asc" | "desc"): Promise<string> {
  const alone = movingList([{ id, size: count, verdict: "whole" }], new Map(), { order, pastEnd: "empty" });
  const { whole } = await scanAll(alone);
  const [run] = whole;
  if (run === undefined) throw new Error(`response ${id} was not handed out`);
  return digestOf(run);
}

const sortedIds = (runs: Run[]): number[] => runs.map(({ responseId }) => responseId).sort((a, b) => a - b);

/** What a scan in one go gives of the same list. */
function inOneGo({ initial, order, pastEnd, prove }: Still): Promise<Scanned> {
  return scanAll(movingList(initial, new Map(), { order, pastEnd }), { prove: prove === "all" ? "news" : "cuts" });
}

describe("slices of one page over a list that holds still", () => {
  it("give what one scan gives: each new response once and whole, each that is noted once, and every id", async () => {
    await check(
      fc.asyncProperty(still(), async (of) => {
        const list = movingList(of.initial, new Map(), of);
        const sliced = await scanInSlices(list, of);
        const once = await inOneGo(of);

        expect(sliced.whole.map((run) => flaw(run, list)).filter((text) => text !== undefined)).toEqual([]);
        expect(sortedIds(sliced.whole)).toEqual(sortedIds(once.whole));
        expect(sortedIds(sliced.noted)).toEqual(sortedIds(once.noted));
        expect(sliced.ids).toEqual(once.met);
        expect(sliced.end).toMatchObject({ deferred: [], apart: false, suspect: false, moved: false });
      }),
      300,
    );
  });

  it("are covered to the end where every seam is proved", async () => {
    await check(
      fc.asyncProperty(still(), async (of) => {
        const sliced = await scanInSlices(movingList(of.initial, new Map(), of), { ...of, prove: "all" });
        expect(sliced.end).toMatchObject({ covered: true, ended: true, moved: false });
      }),
      150,
    );
  });

  it("tell of a response that was cut where whole responses tie, or meet it whole, and are covered all the same", async () => {
    await check(
      fc.asyncProperty(still(), async (drawn) => {
        const of: Still = { ...drawn, ties: "responses", prove: "all", digests: false };
        const list = movingList(of.initial, new Map(), of);
        const { whole, others, apart, end } = await scanInSlices(list, of);

        const isWhole = ({ responseId, records }: Run): boolean => records.length === list.ever.get(responseId)?.size;
        const repaired = new Set(sortedIds(others.filter(isWhole)));
        const cut = whole.filter((run) => !isWhole(run) && !repaired.has(run.responseId));
        expect(cut.length === 0 || apart).toBe(true);
        expect(end).toMatchObject({ covered: true, moved: false });
      }),
      300,
    );
  });

  it("cost at most two reads a page and four more where everything is settled", async () => {
    await check(
      fc.asyncProperty(still(fc.constant("settled")), async (of) => {
        const list = movingList(of.initial, new Map(), of);
        const { slices } = await scanInSlices(list, of);
        expect(slices).toBeLessThanOrEqual(list.pages() + 1);
        expect(list.reads.length).toBeLessThanOrEqual(2 * list.pages() + 4 + list.endReads());
      }),
      150,
    );
  });
});
