import { expect, it } from "vitest";
import type { ResponseCompleted } from "../../../../lib/events/index.ts";
import type { MemoryWorld } from "../../../support/memory-ports.ts";
import { at, HOUR, MINUTE, range, runTick, SECOND, sourceDefaults, worldWith } from "../../../support/survey.ts";

// R18, R20: events of a survey itself, and of responses that are gone.

const events = new Set([...sourceDefaults.events, "survey.changed" as const]);
const source = { rescan: { every: 15 * MINUTE, full: HOUR }, backgroundRequests: 100, events };
const count = 60;

async function settled(): Promise<MemoryWorld> {
  const world = worldWith(range(1, count).map((responseId) => ({ responseId, completed: at(-responseId * SECOND) })));
  await ticks(world, 3);
  return world;
}

async function ticks(world: MemoryWorld, times: number): Promise<void> {
  for (let i = 0; i < times; i += 1) {
    await runTick(world, { source });
    world.time.now += MINUTE;
  }
}

const told = (world: MemoryWorld, type: string) => world.told.filter((one) => one.type === type);

it("deletions are told once each, where the bus takes every second request", async () => {
  const world = await settled();
  for (const id of range(1, 40)) world.model.remove(1, id);
  let requests = 0;
  const { publish } = world.ports.publisher;
  world.ports.publisher.publish = async (sealed, guard) => {
    if (sealed[0]?.type !== "response.deleted") return publish(sealed, guard);
    requests += 1;
    if (requests % 2 === 0) return sealed.map(() => ({ kind: "failed", code: "InternalFailure" }));
    return publish(sealed, guard);
  };
  await ticks(world, 200);
  const ids = told(world, "response.deleted").map(({ detail }) => (detail as ResponseCompleted).data.responseId);
  expect(ids.toSorted((a, b) => a - b)).toEqual(range(1, 40));
});

it("an event of a survey that the bus refuses for good keeps no others back", async () => {
  const world = await settled();
  let refused = 0;
  const { publish } = world.ports.publisher;
  world.ports.publisher.publish = async (sealed, guard) => {
    if (sealed[0]?.type !== "survey.changed") return publish(sealed, guard);
    refused += 1;
    return sealed.map(() => ({ kind: "refused", code: "MalformedDetail" }));
  };
  world.model.editSurvey(1);
  world.model.remove(1, 7);
  await ticks(world, 200);
  expect([refused, told(world, "response.deleted").length]).toEqual([1, 1]);
  expect(world.progress.filter(({ kind }) => kind === "survey failed")).toMatchObject([{ code: "PUBLISH_FAILED" }]);
});
