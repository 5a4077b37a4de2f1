import { expect, it } from "vitest";
import { eventId } from "../../../lib/events/index.ts";
import type { LedgerEntry } from "../../../lib/polling/index.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import {
  arrive,
  at,
  deliveredIds,
  MINUTE,
  poll,
  range,
  replace,
  runTick,
  SECOND,
  surveyOf,
  worldWith,
  worldWithNews,
} from "../../support/survey.ts";

/** Lets `meanwhile` happen, a minute later, while the first worker stands still before it writes such an entry: it prolongs no lease then. */
function standStillAt(world: MemoryWorld, entry: (one: LedgerEntry) => boolean, meanwhile: () => Promise<void>): void {
  let goOn: Promise<void> | undefined;
  world.before.push(async (call) => {
    if (call.operation === "renew" && (call.args[0] as { owner: string }).owner.startsWith("test/")) await goOn;
    if (call.operation !== "putEntries" || goOn !== undefined) return;
    if (!(call.args[1] as LedgerEntry[]).some(entry)) return;
    let wake: () => void = () => undefined;
    goOn = new Promise((resolve) => {
      wake = resolve;
    });
    world.time.now += MINUTE;
    await meanwhile();
    wake();
  });
}

const complete = (responseId: number, size: number) => ({ responseId, completed: at(responseId * SECOND), size });

// R27
it("a worker that stood still and could not make a repair does not undo the one that was made meanwhile: no id goes out again", async () => {
  const world = await worldWithNews(range(1, 4).map((responseId) => complete(responseId, 2)));
  await poll(world);
  replace(world, complete(3, 4));
  let fails = true;
  world.before.push(({ operation, args }) => {
    if (fails && operation === "metrics" && args[1] === 3)
      throw Object.assign(new Error("500"), { code: "SERVER_ERROR" });
  });
  standStillAt(
    world,
    ({ id, attempts }) => id === 3 && attempts !== undefined,
    async () => {
      fails = false;
      await poll(world, { owner: "other" });
    },
  );
  await poll(world);
  expect(world.entry(1, 3)).toMatchObject({ state: "emitted", revision: 2, count: 4 });

  // It has grown once more.
  replace(world, complete(3, 5));
  world.time.now += MINUTE;
  await poll(world, { owner: "third" });
  const events = world.delivered.filter(({ data }) => data.responseId === 3);
  expect(events.map(({ meta, data }) => [meta.revision, data.answers.length])).toEqual([
    [1, 2],
    [2, 4],
    [3, 5],
  ]);
});

it("a worker that stood still does not take what is kept of a response that has completed since", async () => {
  const world = await worldWithNews([]);
  const survey = surveyOf(world);
  arrive(world, { responseId: 1 });
  standStillAt(
    world,
    ({ id, state }) => id === 1 && state === "open",
    async () => {
      replace(world, complete(1, 1));
      survey.metrics.set(1, { kind: "absent" });
      await poll(world, { owner: "other" });
      expect(world.entry(1, 1)).toMatchObject({ state: "waiting" });
    },
  );
  await poll(world);
  expect(world.entry(1, 1)).toMatchObject({ state: "waiting" });

  // It is deleted at the service.
  survey.records.length = 0;
  for (let i = 0; i < 20; i += 1) {
    world.time.now += 2 * MINUTE;
    await runTick(world);
  }
  expect(deliveredIds(world)).toEqual([1]);
});

it.each([
  ["the head", 5],
  ["a catch-up, which asks the ledger for little", 60],
])("a worker that stood still after a publish of %s leaves the repair that was made meanwhile", async (_what, news) => {
  const world = worldWith([]);
  if (news < 10) await poll(world);
  for (const responseId of range(1, news)) arrive(world, complete(responseId, 2));
  const { state } = world.ports;
  let repaired: number | undefined;
  world.after.push(async ({ operation }) => {
    if (operation !== "publish" || repaired !== undefined) return;
    repaired = world.delivered[0]?.data.responseId ?? 0;
    const entry = { id: repaired, count: 5, revision: 2, eventId: eventId("main", 1, repaired, 2) };
    // Another worker of that name: else this one's timer would prolong its lease.
    const lease = await state.acquire(1, "test", 15 * SECOND);
    world.time.now += MINUTE;
    if (lease === undefined) throw new Error("busy");
    await state.putEntries(1, [{ ...entry, state: "emitted" }]);
    await state.release(lease, lease.mark);
  });
  await poll(world);
  expect(world.entry(1, repaired ?? 0)).toMatchObject({ revision: 2, count: 5 });
});
