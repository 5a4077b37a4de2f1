import { describe, expect, it } from "vitest";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { changeMark, closedBooks, fullPass, remove, fullPassesOnly as source, truthOf } from "../../support/slow.ts";
import { at, range, recordsOf, replace, runTick, surveyOf, worldWith } from "../../support/survey.ts";

const complete = (from: number, to: number, size: number) =>
  range(from, to).map((responseId) => ({ responseId, completed: at(0), size }));

describe("a full pass that has ended", () => {
  it("leaves nothing of itself in the vault but the ids that it has listed", async () => {
    const world = worldWith(complete(1, 350, 1));
    await runTick(world, { source });
    for (let i = 0; i < 3; i += 1) await fullPass(world);
    expect([...world.objects.keys()].filter((key) => !key.startsWith("ids/"))).toEqual([]);
  });

  it("knows what has gone since the first pass of all", async () => {
    const world = worldWith(complete(1, 200, 3));
    await runTick(world, { source });
    remove(world, range(1, 50));
    await fullPass(world);
    expect(world.mark(1).books).toMatchObject({ listed: 150, gone: 50 });
  });

  it("is not content with one response of the head where the rest of that page is out of reach", async () => {
    const world = worldWith(complete(1, 200, 3));
    await runTick(world, { source });
    const { service } = world.ports;
    const { page } = service;
    service.page = async (surveyId, number, order) =>
      order === "asc" && number > 5 ? { kind: "none", status: 404 } : page(surveyId, number, order);
    await fullPass(world);
    expect(world.mark(1).booksOpen).toEqual({ code: "range-unreachable" });
  });
});

it("a short response that ends with its page is found by a full pass in slices", async () => {
  // 25 responses of four records fill a page.
  const world = worldWith(
    range(1, 100).map((responseId) => ({ responseId, completed: at(0), size: responseId === 50 ? 2 : 4 })),
  );
  await runTick(world, { source });
  replace(world, { responseId: 50, completed: at(0), size: 4 });
  for (let i = 0; i < 2; i += 1) await fullPass(world);
  const events = world.delivered.filter(({ data }) => data.responseId === 50);
  expect(events.map(({ meta, data }) => [meta.revision, data.answers.length])).toEqual([
    [1, 2],
    [2, 4],
  ]);
});

// R6, R12, A5
describe("a response whose records lie apart while operation 9 gives nothing", () => {
  /** Response 900 has a record each on pages 1, 3 and 5. */
  async function worldApart() {
    const world = worldWith(complete(1, 250, 2));
    await runTick(world, { source, deadline: Number.POSITIVE_INFINITY });
    await changeMark(world, ({ contents }) => {
      contents.apart = 0;
    });
    const { records, single, counts } = surveyOf(world);
    const fresh = recordsOf({ responseId: 900, completed: at(0), size: 3 });
    for (const [i, place] of [450, 250, 50].entries()) records.splice(place, 0, fresh[i]);
    counts.responses = 251;
    for (const responseId of [...range(1, 250), 900]) single.set(responseId, { kind: "absent" });
    return world;
  }

  const eventsOf900 = (world: MemoryWorld) =>
    world.delivered
      .filter(({ data }) => data.responseId === 900)
      .map(({ meta, data }) => [meta.revision, data.answers.length]);

  it("is held, which is told once and stands in the books, and no part of it goes out", async () => {
    const world = await worldApart();
    for (let i = 0; i < 5; i += 1) await fullPass(world);
    expect(eventsOf900(world)).toEqual([]);
    expect(world.entry(1, 900)).toMatchObject({ state: "held" });
    expect(world.progress.filter(({ kind }) => kind === "held")).toMatchObject([{ surveyId: 1, count: 1 }]);
    expect(closedBooks(world)).toMatchObject({ ...truthOf(world), listed: 251, held: 1 });
  });

  it("goes out whole, once, after operation 9 has begun to give responses", async () => {
    const world = await worldApart();
    for (let i = 0; i < 5; i += 1) await fullPass(world);
    surveyOf(world).single.clear();
    for (let i = 0; i < 5; i += 1) await fullPass(world);
    expect(eventsOf900(world)).toEqual([[1, 3]]);
    expect(closedBooks(world)).toMatchObject({ ...truthOf(world), listed: 251, emitted: 251, held: 0 });
  });
});
