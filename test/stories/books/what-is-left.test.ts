import { describe, expect, it } from "vitest";
import { changeMark, remove, scrub, scrubsOnly as source, ticksUntil } from "../../support/slow.ts";
import { at, range, recordsOf, replace, runTick, SECOND, surveyOf, worldWith } from "../../support/survey.ts";

const complete = (from: number, to: number, size: number) =>
  range(from, to).map((responseId) => ({ responseId, completed: at(0), size }));

describe("a full pass that has ended", () => {
  it("leaves nothing of itself in the vault but the ids that it has listed", async () => {
    const world = worldWith(complete(1, 350, 1));
    await runTick(world, { source });
    for (let i = 0; i < 3; i += 1) await scrub(world);
    expect([...world.objects.keys()].filter((key) => !key.startsWith("ids/"))).toEqual([]);
  });

  it("knows what has gone since the first pass of all", async () => {
    const world = worldWith(complete(1, 200, 3));
    await runTick(world, { source });
    remove(world, range(1, 50));
    await scrub(world);
    expect(world.mark(1).books).toMatchObject({ listed: 150, gone: 50 });
  });

  it("is not content with one response of the head where the rest of that page is out of reach", async () => {
    const world = worldWith(complete(1, 200, 3));
    await runTick(world, { source });
    const { service } = world.ports;
    const { page } = service;
    service.page = async (surveyId, number, order) =>
      order === "asc" && number > 5 ? { kind: "none", status: 404 } : page(surveyId, number, order);
    await scrub(world);
    expect(world.mark(1).booksOpen).toBe("range unreachable");
  });
});

it("a short response that ends with its page is found by a scrub in slices", async () => {
  // 25 responses of four records fill a page.
  const world = worldWith(
    range(1, 100).map((responseId) => ({ responseId, completed: at(0), size: responseId === 50 ? 2 : 4 })),
  );
  await runTick(world, { source });
  replace(world, { responseId: 50, completed: at(0), size: 4 });
  for (let i = 0; i < 2; i += 1) await scrub(world);
  const events = world.delivered.filter(({ data }) => data.responseId === 50);
  expect(events.map(({ meta, data }) => [meta.revision, data.answers.length])).toEqual([
    [1, 2],
    [2, 4],
  ]);
});

describe("responses joined by a full pass", () => {
  it("go out over as many ticks as they need, without the list being read again", async () => {
    const world = worldWith(complete(1, 200, 3));
    const survey = surveyOf(world);
    const question = (record: unknown): number => (record as { questionId: number }).questionId;
    survey.records.sort((a, b) => question(a) - question(b));
    for (const id of range(1, 200)) survey.single.set(id, { kind: "absent" });
    world.after.push(({ operation }) => {
      if (operation === "page") world.time.now += SECOND;
    });
    let passes = 0;
    for (let i = 0; i < 60 && world.delivered.length < 200; i += 1) {
      await ticksUntil(world, () => true, { source, tick: { deadline: world.time.now + 63 * SECOND } });
      if (world.mark(1).pass === undefined) passes += 1;
    }
    expect(new Set(world.delivered.map(({ data }) => data.answers.length))).toEqual(new Set([3]));
    expect(new Set(world.delivered.map(({ data }) => data.responseId)).size).toBe(200);
    expect(passes).toBeLessThanOrEqual(4);
  });

  it("are not joined of what is left where a part was lost in the vault: the pass begins again", async () => {
    const world = worldWith(complete(1, 250, 2));
    await runTick(world, { source });
    await changeMark(world, (mark) => {
      mark.confirmation.apart = true;
      delete mark.contiguous;
    });
    const { records, single, counts } = surveyOf(world);
    const fresh = recordsOf({ responseId: 900, completed: at(0), size: 3 });
    for (const [i, place] of [450, 250, 50].entries()) records.splice(place, 0, fresh[i]);
    counts.responses = 251;
    single.set(900, { kind: "absent" });
    world.after.push(({ operation }) => {
      if (operation === "page") world.time.now += SECOND;
    });
    let lost = 0;
    for (let i = 0; i < 60 && world.delivered.length < 251; i += 1) {
      await ticksUntil(world, () => true, { source, tick: { deadline: world.time.now + 63 * SECOND } });
      const key = [...world.objects.keys()].find((name) => name.startsWith("pass/"));
      if (lost > 0 || key === undefined || (world.mark(1).pass?.page ?? 0) < 3) continue;
      lost += 1;
      world.objects.delete(key);
    }
    expect(lost).toBe(1);
    const events = world.delivered.filter(({ data }) => data.responseId === 900);
    expect(events.map(({ meta, data }) => [meta.revision, data.answers.length])).toEqual([[1, 3]]);
  });
});
