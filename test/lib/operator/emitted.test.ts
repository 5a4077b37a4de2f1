import { expect, it } from "vitest";
import { eventId } from "../../../lib/events/index.ts";
import { emitted } from "../../../lib/operator/emitted.ts";
import { at, range, runTick, worldWith } from "../../support/survey.ts";
import { operate } from "../support/operation.ts";

const byteOf = (responseId: number): number => Number.parseInt(eventId("main", 1, responseId).slice(0, 2), 16);

it("names the events of the buckets that are asked for, and none of a forgotten response", async () => {
  const ids = range(1, 30);
  const world = worldWith(ids.map((responseId) => ({ responseId, completed: at(responseId) })));
  await runTick(world);
  const eventsIn = async (buckets: number[]) => (await operate(world, emitted, { surveyId: 1, buckets })).events;
  const found = async (buckets: number[]): Promise<number[]> =>
    (await eventsIn(buckets)).map(({ responseId }) => responseId).sort((a, b) => a - b);
  expect(await found(range(0, 255))).toEqual(ids);
  const buckets = [byteOf(3), byteOf(17)];
  expect(await found(buckets)).toEqual(ids.filter((id) => buckets.includes(byteOf(id))));
  const [three] = (await eventsIn([byteOf(3)])).filter(({ responseId }) => responseId === 3);
  expect(three).toEqual({ responseId: 3, eventId: eventId("main", 1, 3), emittedAt: expect.any(Number) });

  const { emittedAt: _, ...entry } = world.entries(1).find(({ id }) => id === 3) ?? { id: 3, state: "emitted" };
  await world.ports.state.putEntries(1, [{ ...entry, reason: "forgotten" }]);
  expect(await found(buckets)).toEqual(ids.filter((id) => id !== 3 && buckets.includes(byteOf(id))));
});
