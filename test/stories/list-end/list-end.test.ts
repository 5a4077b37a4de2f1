import { describe, expect, it } from "vitest";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { closedBooks, fullPass, truthOf } from "../../support/slow.ts";
import {
  arrive,
  at,
  complete,
  deliveredIds,
  HOUR,
  MINUTE,
  range,
  runTick,
  SECOND,
  sortedIds,
  surveyOf,
  type TickOverrides,
  worldWith,
} from "../../support/survey.ts";

describe("a service that fails behind the end", () => {
  /** Each page behind this one fails, as behind the end of the list, until the function it gives is called. */
  function failBehind(world: MemoryWorld, last: () => number, code = "SERVER_ERROR"): () => void {
    const hook = ({ operation, args }: { operation: string; args: readonly unknown[] }): void => {
      if (operation !== "page" || Number(args[1]) <= last()) return;
      throw Object.assign(new Error("no page"), { code });
    };
    world.before.push(hook);
    return () => {
      world.before.splice(world.before.indexOf(hook), 1);
    };
  }

  async function ticks(world: MemoryWorld, count: number, overrides?: TickOverrides) {
    const outcomes: string[] = [];
    for (const _ of range(1, count)) {
      world.time.now += MINUTE;
      const { surveys } = await runTick(world, overrides);
      outcomes.push(...surveys.map(({ outcome, failure }) => failure?.code ?? outcome));
    }
    return outcomes;
  }

  describe.each(["SERVER_ERROR", "UNREADABLE_BODY"])(
    "a service that answers behind the end of a list with %s",
    (code) => {
      it.each([
        ["a short one", 5, 2],
        ["a full one", 20, 5],
        ["the third one, which is full", 60, 5],
      ])(
        "is believed at once where the other order begins with what is on the last page: %s",
        async (_name, count, size) => {
          const world = worldWith(complete(1, count, size));
          failBehind(world, () => Math.ceil((world.surveys.get(1)?.records.length ?? 0) / 100), code);
          expect(new Set(await ticks(world, 2))).toEqual(new Set(["polled"]));
          expect(sortedIds(world)).toEqual(range(1, count));
          expect(world.delivered.every(({ data }) => data.answers.length === size)).toBe(true);
          expect(closedBooks(world)).toMatchObject(truthOf(world));

          arrive(world, { responseId: count + 1, completed: at((count + 1) * SECOND) });
          expect(await ticks(world, 1)).toEqual(["polled"]);
          expect(sortedIds(world)).toEqual(range(1, count + 1));
        },
      );
    },
  );

  // R6, R9
  describe.each([
    { single: "gives it whole", isGiven: true },
    { single: "says nothing", isGiven: false },
  ])(
    "a page that fails though it is one of the list; of one that goes on behind it operation 9 $single:",
    ({ isGiven }) => {
      const without = (world: MemoryWorld, responseId: number): void => {
        if (!isGiven) world.surveys.get(1)?.single.set(responseId, { kind: "absent" });
      };

      it("does not end it, however long that lasts: nothing is cut, and what is whole goes out", async () => {
        // Response 10 goes on behind the first page, which is full.
        const world = worldWith(complete(1, 20, 11));
        without(world, 10);
        const mend = failBehind(world, () => 1);
        expect(new Set(await ticks(world, 8))).toEqual(new Set(["SERVER_ERROR"]));
        expect(deliveredIds(world)).toEqual(range(1, isGiven ? 10 : 9));
        // The first pass comes to its end without the pages that fail: the head shows what it has.
        await ticks(world, 22);
        expect(sortedIds(world)).toEqual(expect.arrayContaining([...range(1, 9), ...range(12, 20)]));
        expect(deliveredIds(world).includes(10)).toBe(isGiven);
        expect(world.entry(1, 10)?.state).toBe(isGiven ? "emitted" : "held");
        expect(world.progress.some(({ kind }) => kind === "held")).toBe(!isGiven);
        expect(world.mark(1).books).toBeUndefined();

        mend();
        await ticks(world, 1);
        await fullPass(world);
        expect(sortedIds(world)).toEqual(range(1, 20));
        expect(world.delivered.every(({ data }) => data.answers.length === 11)).toBe(true);
        expect(closedBooks(world)).toMatchObject({ ...truthOf(world), emitted: 20 });
      });
    },
  );
});

describe("a service that begins again behind the end", () => {
  /** In no order of completion: the newest stands first. */
  const unordered = (ids: number[]) =>
    ids.map((responseId) => ({ responseId, completed: at(-responseId * SECOND), size: 3 }));

  /** Past the end of its list the service gives the first page again. */
  function beginsAgain(world: MemoryWorld, { operation9 = true } = {}): void {
    const { service } = world.ports;
    const pages = (): number => Math.max(1, Math.ceil(surveyOf(world).records.length / 100));
    world.ports.service = {
      surveys: () => service.surveys(),
      metrics: (surveyId, responseId) => service.metrics(surveyId, responseId),
      metadata: (surveyId, responseId) => service.metadata(surveyId, responseId),
      definition: (...asked) => service.definition(...asked),
      response: async (surveyId, responseId) =>
        operation9 ? service.response(surveyId, responseId) : { kind: "absent" },
      page: (surveyId, page, order) => service.page(surveyId, page <= pages() ? page : 1, order),
    };
  }

  /** Full passes follow each other, each in slices of one request. */
  async function ticks(
    world: MemoryWorld,
    count: number,
    each?: (tick: number) => Promise<void> | void,
  ): Promise<void> {
    for (const tick of range(1, count)) {
      await runTick(world, { source: { patrol: { every: HOUR, full: 2 * HOUR } } });
      world.time.now += 10 * MINUTE;
      await each?.(tick);
    }
  }

  /** Events by response, revision and number of answers. */
  const eventsOf = (world: MemoryWorld): string[] =>
    world.delivered.map(({ data, meta }) => `${data.responseId} ${meta.revision} ${data.answers.length}`).sort();
  const onceEach = (ids: number[], size: number): string[] => ids.map((id) => `${id} 1 ${size}`).sort();

  describe.each([
    { operation9: true, as: "works" },
    { operation9: false, as: "says nothing" },
  ])("a service that begins again behind the end of the list, while operation 9 $as", ({ operation9 }) => {
    it.each([
      { responses: 120, of: "ends with a short page" },
      { responses: 100, of: "ends with a full page" },
    ])("doubles nothing of a quiet list that $of, and its books are closed", async ({ responses }) => {
      const world = worldWith(unordered(range(1, responses)));
      beginsAgain(world, { operation9 });
      await ticks(world, 200);
      expect(eventsOf(world)).toEqual(onceEach(range(1, responses), 3));
      expect(closedBooks(world)).toMatchObject({ ...truthOf(world), repaired: 0 });
    });
  });
});
