import { describe, expect, it } from "vitest";
import type { PollContext } from "../../../../lib/polling/context.ts";
import { isHeldDue, noteHeld, UNPROVED } from "../../../../lib/polling/ledger/held.ts";
import type { LedgerEntry } from "../../../../lib/polling/model/ledger-entry.ts";
import { memoryWorld } from "../../../support/memory-ports.ts";
import { HOUR, MINUTE, noon, range, SECOND } from "../../../support/survey.ts";

const DAY = 24 * HOUR;

/** A poll that holds its lease. */
async function worldInPoll() {
  const world = memoryWorld(noon);
  const lease = await world.ports.state.acquire(1, "test", 100 * DAY);
  if (lease === undefined) throw new Error("busy");
  const ctx = {
    ports: world.ports,
    surveyId: 1,
    lease,
    mark: lease.mark,
    lost: undefined,
    source: { interval: MINUTE },
  } as unknown as PollContext;
  const told = (): number[] => world.progress.flatMap((one) => (one.kind === "held" ? [one.count] : []));
  return { ...world, ctx, told };
}

function note(ctx: PollContext, ids: number[]): Promise<number[]> {
  return noteHeld(
    ctx,
    ids.map((responseId) => ({ responseId, shown: [] })),
  );
}

/** Notes responses in a poll of its own, a minute after the one before. */
async function noteInPoll({ ctx, time }: Awaited<ReturnType<typeof worldInPoll>>, ids: number[]): Promise<number[]> {
  const held = await note(ctx, ids);
  time.now += MINUTE;
  return held;
}

// R6
describe("a response whose contents nothing proves", () => {
  it("is left by two polls, and held by the third, which tells it once", async () => {
    const world = await worldInPoll();
    const held: number[][] = [];
    for (const poll of range(1, 5)) {
      held.push(await noteInPoll(world, [7]));
      expect(world.entry(1, 7)).toMatchObject({ state: "held", reason: UNPROVED, attempts: poll, firstSeen: noon });
      world.time.now += DAY;
    }
    expect(held).toEqual([[], [], [7], [7], [7]]);
    expect(world.told()).toEqual([1]);
  });

  it("is held by itself: others that are new to it have their own three polls", async () => {
    const world = await worldInPoll();
    for (const _ of [1, 2]) await noteInPoll(world, [7]);
    expect(await noteInPoll(world, [7, 8])).toEqual([7]);
    expect(world.told()).toEqual([1]);
  });

  it("counts once in an interval in which several walks meet it, and any number of them are noted", async () => {
    const world = await worldInPoll();
    for (const _ of [1, 2, 3]) {
      for (const _walk of [1, 2]) await note(world.ctx, [...range(1, 250), ...range(1, 250)]);
      world.time.now += MINUTE;
    }
    expect(world.entries(1)).toHaveLength(250);
    expect(new Set(world.entries(1).map(({ attempts }) => attempts))).toEqual(new Set([3]));
    expect(world.told().reduce((sum, count) => sum + count, 0)).toBe(250);
  });

  it("that was open has its three polls from then on", async () => {
    const world = await worldInPoll();
    await world.ports.state.putEntries(1, [{ id: 7, state: "open", firstSeen: noon - DAY }]);
    expect(await noteInPoll(world, [7])).toEqual([]);
    expect(world.entry(1, 7)).toMatchObject({ state: "held", attempts: 1, firstSeen: noon });
  });
});

// R6
describe("a held response is looked at again", () => {
  const entry = (attempts: number): LedgerEntry => ({ id: 7, state: "held", firstSeen: noon, attempts });
  /** Milliseconds from the first look. */
  const pauseAfter = (attempts: number): number => {
    let [low, high] = [-1, 1_000 * DAY];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (isHeldDue(entry(attempts), noon + middle)) high = middle;
      else low = middle;
    }
    return high;
  };

  it("at each poll before it is held", () => {
    for (const attempts of [0, 1, 2]) expect(isHeldDue(entry(attempts), noon)).toBe(true);
    expect(isHeldDue(entry(3), noon)).toBe(false);
  });

  it("after pauses that double, from five minutes up to a day", () => {
    const looks = range(3, 16).map(pauseAfter);
    const pauses = looks.slice(1).map((at, i) => at - (looks[i] ?? 0));
    expect(looks[0]).toBe(5 * MINUTE);
    expect(pauses.slice(0, 3)).toEqual([10 * MINUTE, 20 * MINUTE, 40 * MINUTE]);
    for (const [i, pause] of pauses.entries()) {
      expect(pause).toBeGreaterThanOrEqual(pauses[i - 1] ?? 0);
      expect(pause).toBeLessThanOrEqual(DAY);
    }
    expect(pauses.at(-1)).toBe(DAY);
  });

  it("at the time that its entry names", async () => {
    const world = await worldInPoll();
    for (const _ of range(1, 6)) {
      world.time.now = Math.max(world.time.now, world.entry(1, 7)?.nextCheck ?? 0);
      await noteInPoll(world, [7]);
      const noted = world.entry(1, 7);
      const next = noted?.nextCheck ?? Number.NaN;
      if ((noted?.attempts ?? 0) < 3) continue;
      expect([isHeldDue(noted ?? entry(0), next - SECOND), isHeldDue(noted ?? entry(0), next)]).toEqual([false, true]);
    }
  });
});

// R14
describe("in the ledger a held response", () => {
  const states = ["emitted", "before-floor", "open", "waiting", "quarantined", "refused"] as const;

  it.each([
    ["emitted", "emitted"],
    ["waiting", "waiting"],
    ["refused", "refused"],
    ["open", "held"],
    ["quarantined", "held"],
  ] as const)("that is %s by now is %s after it was noted", async (state, expected) => {
    const world = await worldInPoll();
    await world.ports.state.putEntries(1, [{ id: 7, state }]);
    await noteInPoll(world, [7]);
    expect(world.entry(1, 7)?.state).toBe(expected);
  });

  it("gives way to everything but an open one", async () => {
    for (const state of states) {
      const world = await worldInPoll();
      await noteInPoll(world, [7]);
      await world.ports.state.putEntries(1, [{ id: 7, state }]);
      expect([state, world.entry(1, 7)?.state]).toEqual([state, state === "open" ? "held" : state]);
    }
  });
});
