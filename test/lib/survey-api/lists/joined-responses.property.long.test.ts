import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type JoinedResponse, joinResponses } from "../../../../lib/survey-api/lists/joined-responses.ts";
import {
  type Change,
  type ChangingList,
  changingList,
  type Listed,
  response,
  toRecord,
} from "../support/changing-list.ts";

const SEED = 20_261_121;

/** Sizes around that of a page as well, where edges fall together. */
const size = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 9 }) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 250 }) },
  { weight: 1, arbitrary: fc.constantFrom(50, 99, 100, 101, 199, 200, 201, 250) },
);
const place = fc.oneof(fc.constantFrom(0, 0.999), fc.double({ min: 0, max: 0.999, noNaN: true }));
const list = (equal: boolean) =>
  fc
    .array(fc.tuple(size, equal ? fc.boolean() : fc.constant(false)), { maxLength: 14 })
    .map((sizes) => sizes.map(([count, same], i) => response(i + 1, count, same)));
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constant("arrive" as const), place, size }),
  fc.record({ kind: fc.constant("leave" as const), place }),
  fc.record({ kind: fc.constant("grow" as const), place, at: place, size: fc.integer({ min: 1, max: 120 }) }),
  fc.record({ kind: fc.constant("shrink" as const), place, at: place, size: fc.integer({ min: 1, max: 120 }) }),
  fc.record({ kind: fc.constant("edit" as const), place }),
);
const oddPages = fc.oneof(
  fc.constant(new Map<number, number>()),
  fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 0, max: 99 }), fc.integer({ min: 1, max: 99 })).map(
    ([page, first, second]) =>
      new Map([
        [page, first],
        [page + 2, second],
      ]),
  ),
);

async function readAll(of: ChangingList, prove: boolean): Promise<JoinedResponse[]> {
  const given: JoinedResponse[] = [];
  for await (const one of joinResponses(of.read, prove)) given.push(one);
  return given;
}

const textsOf = ({ records }: { records: readonly { comment: string }[] }): string[] =>
  records.map(({ comment }) => comment);
const listedOf = (given: readonly JoinedResponse[]): Listed[] =>
  given.map((one) => ({ id: one.responseId, records: textsOf(one) }));

describe("joined responses of a list that does not change", () => {
  it.each([
    { prove: true, requests: (pages: number) => 2 * pages + 4 },
    { prove: false, requests: (pages: number) => pages + 2 },
  ])("are all given, in the order of the list: prove $prove", async ({ prove, requests }) => {
    const quiet = fc.oneof(
      fc.record({
        initial: list(true),
        sizes: fc.constant(new Map<number, number>()),
        pastEnd: fc.constant("empty" as const),
      }),
      fc.record({
        initial: list(false),
        sizes: oddPages,
        pastEnd: fc.constantFrom("empty" as const, "repeatLast" as const),
      }),
    );
    await fc.assert(
      fc.asyncProperty(quiet, async ({ initial, sizes, pastEnd }) => {
        const still = changingList(initial, { sizes, pastEnd });
        expect(listedOf(await readAll(still, prove))).toEqual(initial);
        const records = initial.reduce((sum, one) => sum + one.records.length, 0);
        let pages = 0;
        for (let held = 0; held < records; pages += 1) held += sizes.get(pages + 1) ?? 100;
        expect(still.pages).toHaveLength(requests(pages));
      }),
      { seed: SEED, numRuns: 300 },
    );
  });
});

describe("joined responses of a list that changes between any two reads", () => {
  it("are whole, each is given once, and none is missed that stayed or came in ahead", async () => {
    let deceived = 0;
    let stepsBack = 0;
    await fc.assert(
      fc.asyncProperty(
        list(false),
        fc.array(fc.tuple(fc.nat(30), change), { minLength: 1, maxLength: 8 }),
        // Two on the same page in a row would be a list without that page.
        fc.array(fc.nat(30), { maxLength: 1 }),
        oddPages,
        fc.constantFrom("empty" as const, "repeatLast" as const),
        async (initial, timed, glitches, sizes, pastEnd) => {
          // With a page that is empty for good it makes two in a row, which are an end.
          fc.pre(glitches.length === 0 || ![...sizes.values()].includes(0));
          const changes = new Map(
            Object.entries(Object.groupBy(timed, ([at]) => at)).map(([at, of]) => [
              Number(at),
              (of ?? []).map(([, one]) => one),
            ]),
          );
          const moving = changingList(initial, { changes, glitches: new Set(glitches), sizes, pastEnd });
          const given = await readAll(moving, true).catch((error: unknown) => {
            if (moving.deceptions() > 1) return [];
            throw error;
          });
          const ids = given.map(({ responseId }) => responseId);
          expect(new Set(ids).size).toBe(ids.length);
          if (moving.pages.length > 2 * (Math.max(...moving.pages) - 2) + 4) stepsBack += 1;
          // One page there and back is seen; two neighbours in step with the reads, no reader can see.
          if (moving.deceptions() > 1) {
            deceived += 1;
            return;
          }
          for (const one of given) {
            const states = moving.versions.flatMap((version) => version.filter(({ id }) => id === one.responseId));
            expect(states.map(({ records }) => records)).toContainEqual(textsOf(one));
          }
          const stayed = (id: number) => moving.versions.every((version) => version.some((one) => one.id === id));
          const last = new Set(moving.versions.at(-1)?.map(({ id }) => id));
          const due = [
            ...initial.map(({ id }) => id).filter(stayed),
            ...[...moving.arrivedAhead].filter((id) => last.has(id)),
          ];
          expect(due.filter((id) => !ids.includes(id))).toEqual([]);
        },
      ),
      { seed: SEED, numRuns: 1_000 },
    );
    expect(deceived).toBeLessThan(100);
    expect(stepsBack).toBeGreaterThan(200);
  });

  it("come to an end or to an error, whatever the pace of the changes", async () => {
    await fc.assert(
      fc.asyncProperty(
        list(false),
        fc.integer({ min: 1, max: 9 }),
        fc.array(fc.oneof(change, fc.record({ kind: fc.constant("arrive" as const), place: fc.constant(0), size })), {
          minLength: 1,
          maxLength: 3,
        }),
        fc.boolean(),
        async (initial, every, repeated, prove) => {
          const changes = new Map(Array.from({ length: 300 }, (_, i) => [i * every, repeated]));
          // A list that grows where it was not read yet, or by more than is read, would be one without end, all of which is to be given.
          fc.pre(repeated.every((one) => one.kind !== "arrive" || one.place === 0));
          const growth = repeated.reduce((sum, one) => sum + ("size" in one ? one.size : 0), 0);
          fc.pre(growth < (prove ? 15 : 90) * every || (prove && every === 1));
          const restless = changingList(initial, { changes, mostReads: 1_000 });
          const ended = await readAll(restless, prove).then(
            () => "end",
            (error: { code?: string }) => error.code,
          );
          expect(["end", "SERVER_ERROR"]).toContain(ended);
        },
      ),
      { seed: SEED, numRuns: 300 },
    );
  });
});

describe("joined responses of a list in which records lie apart", () => {
  it("end in an error before anything cut is given from that page or the one before it", async () => {
    let failed = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 2, maxLength: 10 }),
        fc.infiniteStream(fc.nat(1_000_000)),
        fc.boolean(),
        async (sizes, random, prove) => {
          const keys = sizes.flatMap((count, id) => Array.from({ length: count }, (_, k) => `${id} ${k}`));
          const moves = random.next().value % 12;
          for (let i = 0; i < moves; i += 1) {
            const [taken = ""] = keys.splice(random.next().value % keys.length, 1);
            keys.splice(random.next().value % (keys.length + 1), 0, taken);
          }
          const read = async (page: number) => keys.slice((page - 1) * 100, page * 100).map(toRecord);
          const given: JoinedResponse[] = [];
          let error: unknown;
          try {
            for await (const one of joinResponses(read, prove)) given.push(one);
          } catch (thrown) {
            error = thrown;
          }
          const apart = sizes.some((_, id) => {
            const at = keys.flatMap((key, i) => (key.startsWith(`${id} `) ? [i] : []));
            return at.length > 0 && (at.at(-1) ?? 0) - (at[0] ?? 0) !== at.length - 1;
          });
          expect((error as { code?: string } | undefined)?.code).toBe(apart ? "RECORDS_APART" : undefined);
          failed += apart ? 1 : 0;
          for (const { responseId, records } of given) {
            const own = keys.flatMap((key, i) => (key.startsWith(`${responseId} `) ? [i] : []));
            const ends = Math.floor((own[records.length - 1] ?? 0) / 100);
            const next = own[records.length];
            if (next !== undefined) expect(Math.floor(next / 100)).toBeGreaterThan(ends + 1);
          }
        },
      ),
      { seed: SEED, numRuns: 300 },
    );
    expect(failed).toBeGreaterThan(50);
  });
});
