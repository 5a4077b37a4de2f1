import { describe, expect, it } from "vitest";
import { type ResponseDeleted, responseDeleted } from "../../../lib/events/index.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { closedBooks, fullPass, fullPassesOnly } from "../../support/slow.ts";
import { at, deliveredIds, range, recordsOf, runTick, SECOND, surveyOf, worldWith } from "../../support/survey.ts";

const source = { ...fullPassesOnly, backgroundRequests: 100 };
const one = (responseId: number) => ({ responseId, completed: at(-responseId * SECOND), size: 2 });
const listed = range(1, 100).map(one);

/** Ids of the responses of which subscribers were told that they are deleted, in that order. */
const deletedIds = (world: MemoryWorld): number[] =>
  world.told.flatMap(({ type, detail }) =>
    type === "response.deleted" ? [responseDeleted.parse(detail).data.responseId] : [],
  );

/** Lists some responses no more; `isGiven`: operation 9 goes on giving them. */
function remove(world: MemoryWorld, ids: number[], isGiven = false): void {
  const survey = surveyOf(world);
  const mine = (record: unknown): boolean => ids.includes((record as { responseId: number }).responseId);
  survey.records.splice(0, survey.records.length, ...survey.records.filter((record) => !mine(record)));
  if (isGiven) for (const id of ids) survey.single.set(id, { kind: "found", body: recordsOf(one(id)) });
}

async function worldTold(): Promise<MemoryWorld> {
  const world = worldWith(listed);
  await runTick(world, { source });
  expect(deliveredIds(world)).toHaveLength(100);
  return world;
}

// R20
describe("a response that is deleted after its event", () => {
  it("is told once, when two books in a row do not list it, with its last event and without contents", async () => {
    const world = await worldTold();
    remove(world, [34, 35]);
    await fullPass(world, { source });
    expect(deletedIds(world)).toEqual([]);
    expect(closedBooks(world)).toMatchObject({ listed: 98, gone: 2 });

    await fullPass(world, { source });
    expect(deletedIds(world).toSorted()).toEqual([34, 35]);
    const details = world.told.flatMap(({ type, detail }) =>
      type === "response.deleted" ? [responseDeleted.parse(detail)] : [],
    );
    const detail = details.find(({ data }) => data.responseId === 34) as ResponseDeleted;
    const event = world.delivered.find(({ data }) => data.responseId === 34);
    expect(detail.data).toMatchObject({ surveyId: 1, responseId: 34, lastEventId: event?.meta.eventId });
    expect(detail.data.observedAt).toBe(new Date(closedBooks(world).closedAt).toISOString());
    expect(JSON.stringify(detail)).not.toContain("answer");

    await fullPass(world, { source });
    await fullPass(world, { source });
    expect(deletedIds(world).toSorted()).toEqual([34, 35]);
    expect(closedBooks(world)).toMatchObject({ listed: 98, gone: 2 });
  });

  it("is not told where it is listed again by the second books", async () => {
    const world = await worldTold();
    const records = [...surveyOf(world).records];
    remove(world, [34]);
    await fullPass(world, { source });
    surveyOf(world).records.splice(0, Number.POSITIVE_INFINITY, ...records);
    await fullPass(world, { source });
    await fullPass(world, { source });
    expect(deletedIds(world)).toEqual([]);
    expect(closedBooks(world)).toMatchObject({ listed: 100, gone: 0 });
  });

  it("is not told as long as a trusted operation 9 gives it, and is asked about once for each books", async () => {
    const world = await worldTold();
    expect(world.account.single?.equal).toBe(3);
    remove(world, [34], true);
    await fullPass(world, { source });
    world.calls.length = 0;
    await fullPass(world, { source });
    await runTick(world, { source });
    const asked = world.calls.filter(({ operation, args }) => operation === "response" && args[1] === 34);
    expect(asked).toHaveLength(1);
    expect(deletedIds(world)).toEqual([]);

    surveyOf(world).single.delete(34);
    for (let pass = 0; pass < 2; pass += 1) await fullPass(world, { source });
    expect(deletedIds(world)).toEqual([34]);
  });

  it("is taken back by an update when it is listed again, and told as a deletion of its own when it goes once more", async () => {
    const world = await worldTold();
    const records = [...surveyOf(world).records];
    const deletions = (): string[] =>
      world.told.flatMap(({ type, detail }) => (type === "response.deleted" ? [detail.meta.eventId] : []));
    remove(world, [34]);
    for (let pass = 0; pass < 2; pass += 1) await fullPass(world, { source });
    expect(deletedIds(world)).toEqual([34]);

    surveyOf(world).records.splice(0, Number.POSITIVE_INFINITY, ...records);
    for (let pass = 0; pass < 2; pass += 1) await fullPass(world, { source });
    const back = world.delivered.filter(({ data }) => data.responseId === 34);
    expect(back.map(({ meta }) => meta.revision)).toEqual([1, 2]);
    expect(closedBooks(world)).toMatchObject({ listed: 100, gone: 0 });

    remove(world, [34]);
    for (let pass = 0; pass < 2; pass += 1) await fullPass(world, { source });
    expect(deletedIds(world)).toEqual([34, 34]);
    expect(new Set(deletions()).size).toBe(2);
  });
});
