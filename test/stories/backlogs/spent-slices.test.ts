import { expect, it, onTestFinished } from "vitest";
import { emptyMark } from "../../../lib/polling/model/mark.ts";
import { queueSlice, SLICE_WAITS } from "../../../lib/polling/survey/slices.ts";
import { type Queued, slice, worldWithQueue } from "../../support/slices.ts";
import { addSurvey, at, MINUTE, range, runTick, SECOND } from "../../support/survey.ts";

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

it("a slice is queued anew by whoever held the survey so long that its message may have come in vain", async () => {
  const { world, queue } = worldWithQueue([]);
  const { ports, time } = world;
  const taken = time.now;
  const queuedAt = taken - SECOND;
  const timesQueued = async (heldFor: number): Promise<number> => {
    time.now = taken + heldFor;
    const mark = {
      ...emptyMark(),
      phase: { kind: "catch-up" as const, place: { page: 1 } },
      queuedAt,
      queuedUntil: taken + 30 * MINUTE,
    };
    await queueSlice({ surveyId: 1, mark, ports, since: taken }, { nextTick: time.now + MINUTE, catchingUp: 30 });
    return queue.splice(0).length;
  };
  expect(await timesQueued(SLICE_WAITS - 1)).toBe(0);
  expect(await timesQueued(SLICE_WAITS)).toBe(1);
});

it.each(["send", "release"])(
  "a tick that dies at its %s leaves no note of a message that was never sent",
  async (dies) => {
    const { world, queue } = worldWithQueue(complete(1, 1, 500), 0);
    world.account.catchingUp = 30;
    const { slices } = world.ports;
    let isDead = false;
    world.before.push(({ operation }) => {
      isDead ||= operation === dies;
      if (isDead) throw new Error("the process is gone");
    });
    world.ports.slices = {
      async send(slice) {
        isDead ||= dies === "send";
        if (isDead) throw new Error("the process is gone");
        await slices?.send(slice);
      },
    };
    await runTick(world, tickOf).catch(() => undefined);
    expect(isDead).toBe(true);
    const sent = queue.splice(0);
    expect(sent).toHaveLength(dies === "send" ? 0 : 1);

    world.before.length = 0;
    if (slices !== undefined) world.ports.slices = slices;
    world.time.now += 5 * MINUTE;
    await runTick(world, tickOf);
    expect(queue.map(({ surveyId }) => surveyId)).toEqual([1]);
    // One that was sent before its tick died is worked off where it comes first.
    const [first] = [...sent, ...queue];
    if (first === undefined) throw new Error("nothing was queued");
    expect((await slice(world, first)).outcome).toBe("done");
  },
);

it("of several messages for one slice the first that comes is worked off, and the others are dropped", async () => {
  const { world, queue } = worldWithQueue(complete(1, 1, 1_000), SECOND);
  await runTick(world, tickOf);
  // Their turn comes late, as they stand behind those of another source: they are taken for lost.
  for (const _ of range(1, 2)) {
    world.time.now += 10 * MINUTE;
    await runTick(world, tickOf);
  }
  const [first, second, third] = queue.splice(0);
  if (first === undefined || second === undefined || third === undefined) throw new Error("a message is missing");
  const workOff = (message: Queued) => slice(world, { ...message, until: world.time.now + 20 * SECOND });
  expect((await workOff(first)).outcome).toBe("done");
  expect((await workOff(second)).outcome).toBe("outdated");
  world.time.now += MINUTE;
  await runTick(world, tickOf);
  const [next] = queue.splice(0);
  if (next === undefined) throw new Error("a message is missing");
  world.calls.length = 0;
  expect((await workOff(third)).outcome).toBe("outdated");
  expect(world.calls.filter(({ port }) => port === "service")).toEqual([]);
  expect((await workOff(next)).outcome).toBe("done");
});

it("a message of an older version, which has no number, is worked off whatever the mark says", async () => {
  const { world, queue } = worldWithQueue(complete(1, 1, 1_000), SECOND);
  await runTick(world, tickOf);
  const [message] = queue.splice(0);
  if (message === undefined) throw new Error("nothing was queued");
  const { surveyId } = message;
  expect((await slice(world, { surveyId, until: world.time.now + 20 * SECOND })).outcome).toBe("done");
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
