import { expect, it, onTestFinished } from "vitest";
import { queueSlice, SLICE_WAITS } from "../../../lib/polling/slices.ts";
import { emptyMark } from "../../../lib/polling/state-types.ts";
import { slice, worldWithQueue } from "./support/slices.ts";
import { addSurvey, at, MINUTE, range, runTick, SECOND } from "./support/survey.ts";

const complete = (surveyId: number, from: number, to: number) =>
  range(from, to).map((responseId) => ({ surveyId, responseId, completed: at(responseId * SECOND), size: 2 }));
const tickOf = { ownTime: -1, owner: "tick" };

it.each([1, 10, 40])(
  "%i slices whose turn came while the service was to be left alone are queued anew soon after",
  async (backlogs) => {
    const { world, queue } = worldWithQueue(complete(1, 1, 500), 0);
    for (const id of range(2, backlogs)) addSurvey(world, id, complete(id, 1, 500));
    // As the ticks before have seen it.
    world.account.catchingUp = backlogs;
    await runTick(world, tickOf);
    expect(queue).toHaveLength(backlogs);
    world.account.pausedUntil = world.time.now + 90 * SECOND;
    for (const message of queue.splice(0)) expect((await slice(world, message)).outcome).toBe("paused");
    world.time.now = world.account.pausedUntil;
    await runTick(world, tickOf);
    expect(new Set(queue.map(({ surveyId }) => surveyId)).size).toBe(backlogs);
  },
);

it("a slice whose message came in a pause while a tick held its survey is queued anew with the others", async () => {
  const { world, queue } = worldWithQueue(complete(1, 1, 500), 0);
  // So many that a message which is thought to be in the queue is waited for for half an hour.
  world.account.catchingUp = 30;
  await runTick(world, tickOf);
  const [message] = queue.splice(0);
  if (message === undefined) throw new Error("nothing was queued");
  await world.ports.state.acquire(1, "tick", 3 * SECOND);
  world.account.pausedUntil = world.time.now + 90 * SECOND;
  const advance = setInterval(() => {
    world.time.now += SECOND;
  }, 0);
  onTestFinished(() => clearInterval(advance));
  expect((await slice(world, message)).outcome).toBe("paused");
  clearInterval(advance);
  world.time.now = world.account.pausedUntil;
  await runTick(world, tickOf);
  expect(queue.map(({ surveyId }) => surveyId)).toEqual([1]);
});

it("a slice is queued anew by whoever held the survey so long that its message may have come in vain", () => {
  const { world } = worldWithQueue([]);
  const { ports, time } = world;
  const taken = time.now;
  const queuedAt = taken - SECOND;
  const isQueued = (heldFor: number): boolean => {
    time.now = taken + heldFor;
    const mark = { ...emptyMark(), stream: {} as never, queuedAt, queuedUntil: taken + 30 * MINUTE };
    return queueSlice({ mark, ports, since: taken }, 30);
  };
  expect(isQueued(SLICE_WAITS - 1)).toBe(false);
  expect(isQueued(SLICE_WAITS)).toBe(true);
});

it("slices that the queue has not taken are queued by the next tick, however many", async () => {
  const { world, queue } = worldWithQueue(complete(1, 1, 500), 0);
  for (const id of range(2, 30)) addSurvey(world, id, complete(id, 1, 500));
  world.account.catchingUp = 30;
  const { slices } = world.ports;
  world.ports.slices = {
    async send() {
      throw Object.assign(new Error("no queue"), { code: "THROTTLED" });
    },
  };
  const { surveys } = await runTick(world, tickOf);
  expect(surveys.filter(({ outcome }) => outcome === "failed")).toHaveLength(30);
  if (slices !== undefined) world.ports.slices = slices;
  world.time.now += MINUTE;
  await runTick(world, tickOf);
  expect(new Set(queue.map(({ surveyId }) => surveyId)).size).toBe(30);
});
