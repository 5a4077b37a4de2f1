import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eventId } from "../../../lib/events/index.ts";
import { emptyMark, type Lease, type LedgerEntry, type State } from "../../../lib/polling/index.ts";
import { rememberSettled } from "../../../lib/state/remember-settled.ts";
import { createSettledMemory, type SettledMemory } from "../../../lib/state/settled-memory.ts";
import { type MemoryWorld, memoryWorld } from "../../support/memory-ports.ts";

const SOURCE = "main";
const SURVEY = 7;
const LEASE = 15_000;
const DIGESTS = ["2jmj7l5rSw0yVb_vlWAYkK_YBwkAAAAA", "-AR9Nv-mxNJkfrZ1Xm0m7zJzQwEBBBBB"];

const emitted = (id: number, fields: Partial<LedgerEntry> = {}): LedgerEntry => ({
  id,
  state: "emitted",
  digest: DIGESTS[id % 2] ?? "",
  count: 1 + (id % 3),
  revision: 1,
  eventId: eventId(SOURCE, SURVEY, id),
  emittedAt: 1_795_261_634_252 + id,
  ...fields,
});

/** A table, and processes that poll a survey of it. */
function table() {
  const world = memoryWorld(Date.UTC(2026, 2, 10, 12));
  const { state: plain } = world.ports;
  const process = (memory: SettledMemory = createSettledMemory(SOURCE)): State =>
    rememberSettled(plain, memory, () => world.time.now);
  return { world, plain, process };
}

/** One poll: what a process reads of these ids under a lease of its own. */
async function look(state: State, ids: LedgerEntry["id"][], work?: (lease: Lease) => Promise<void>) {
  const lease = await state.acquire(SURVEY, "somebody", LEASE);
  if (lease === undefined) throw new Error("no lease");
  const entries = await state.entries(SURVEY, ids);
  await work?.(lease);
  await state.release(lease, emptyMark());
  return entries;
}

/** Ids that the table was asked for since the last time. */
function asked(world: MemoryWorld): unknown[] {
  const ids = world.calls.filter(({ operation }) => operation === "entries").flatMap(({ args }) => args[1]);
  world.calls.length = 0;
  return ids;
}

describe("a settled entry", () => {
  it("is read from the table once by a process that polls the survey again and again, and is the same each time", async () => {
    const { world, plain, process } = table();
    const { emittedAt: _, ...withoutTime } = emitted(6);
    const entries: LedgerEntry[] = [
      emitted(1),
      emitted(2),
      emitted(3, { revision: 2, eventId: eventId(SOURCE, SURVEY, 3, 2) }),
      { id: 4, state: "before-floor" },
      withoutTime,
    ];
    await plain.putEntries(SURVEY, entries);
    const state = process();
    asked(world);
    for (const poll of [1, 2, 3]) {
      const read = await look(state, [1, 2, 3, 4, 5, 6]);
      expect(read).toEqual(new Map(entries.map((entry) => [entry.id, entry])));
      // What the ledger does not hold may have come into it.
      expect(asked(world)).toEqual(poll === 1 ? [1, 2, 3, 4, 5, 6] : [5]);
    }
  });

  it("is read anew once somebody else has had the lease: it may have been repaired", async () => {
    const { world, plain, process } = table();
    await plain.putEntries(SURVEY, [emitted(1)]);
    const [one, other] = [process(), process()];
    await look(one, [1]);
    const repaired = emitted(1, { count: 9, revision: 2, eventId: eventId(SOURCE, SURVEY, 1, 2) });
    await look(other, [1], () => other.putEntries(SURVEY, [repaired]));
    asked(world);
    expect((await look(one, [1])).get(1)).toEqual(repaired);
    expect(asked(world)).toEqual([1]);
  });

  it("is read anew after this process has written it, also where the write has failed", async () => {
    const { world, plain, process } = table();
    await plain.putEntries(SURVEY, [emitted(1), emitted(2)]);
    const state = process();
    await look(state, [1, 2]);
    const repaired = emitted(1, { count: 9, revision: 2, eventId: eventId(SOURCE, SURVEY, 1, 2) });
    world.after.push(({ operation }) => {
      if (operation === "putEntries") throw new Error("the answer was lost");
    });
    await look(state, [1], async () => {
      await expect(state.putEntries(SURVEY, [repaired])).rejects.toThrow("lost");
      expect((await state.entries(SURVEY, [1])).get(1)).toEqual(repaired);
    });
    asked(world);
    expect((await look(state, [1, 2])).get(1)).toEqual(repaired);
    expect(asked(world)).toEqual([1]);
  });

  it("that is read while it is being written is not remembered as it was before", async () => {
    const { world, plain, process } = table();
    await plain.putEntries(SURVEY, [emitted(1)]);
    const state = process();
    const repaired = emitted(1, { count: 9, revision: 2, eventId: eventId(SOURCE, SURVEY, 1, 2) });
    let write: Promise<void> | undefined;
    world.after.push(({ operation }) => {
      // Between the table's answer and its arrival.
      if (operation === "entries") write ??= state.putEntries(SURVEY, [repaired]);
    });
    await look(state, [1], async () => write);
    expect((await look(state, [1])).get(1)).toEqual(repaired);
  });

  it("is read anew after this process has written it, although it has tried for the same lease beside that in vain", async () => {
    const { plain, process } = table();
    await plain.putEntries(SURVEY, [emitted(1)]);
    const state = process();
    const repaired = emitted(1, { revision: 2, eventId: eventId(SOURCE, SURVEY, 1, 2) });
    await look(state, [1], async () => {
      expect(await state.acquire(SURVEY, "another slice", LEASE)).toBeUndefined();
      await state.putEntries(SURVEY, [repaired]);
    });
    expect((await look(state, [1])).get(1)).toEqual(repaired);
  });

  it("that is read by whoever has lost the lease to another one in this process is not remembered", async () => {
    const { world, plain, process } = table();
    await plain.putEntries(SURVEY, [emitted(1)]);
    const state = process();
    const repaired = emitted(1, { revision: 2, eventId: eventId(SOURCE, SURVEY, 1, 2) });
    await state.acquire(SURVEY, "slow", LEASE);
    // What it reads is from before the write, and arrives after it.
    const late = Promise.withResolvers<void>();
    const { entries } = plain;
    plain.entries = async (...args) => {
      plain.entries = entries;
      const read = await entries(...args);
      await late.promise;
      return read;
    };
    const slow = state.entries(SURVEY, [1]);
    world.time.now += 2 * LEASE;
    await look(state, [], () => state.putEntries(SURVEY, [repaired]));
    late.resolve();
    await slow;
    expect((await look(state, [1])).get(1)).toEqual(repaired);
  });

  it("is read from the table once the lease has run out: others may have written", async () => {
    const { world, plain, process } = table();
    await plain.putEntries(SURVEY, [emitted(1)]);
    const state = process();
    await look(state, [1]);
    await state.acquire(SURVEY, "somebody", LEASE);
    asked(world);
    world.time.now += LEASE - 1;
    await state.entries(SURVEY, [1]);
    expect(asked(world)).toEqual([]);
    world.time.now += 1;
    await state.entries(SURVEY, [1]);
    expect(asked(world)).toEqual([1]);
  });

  it("is read from the table by whoever has no lease", async () => {
    const { world, plain, process } = table();
    await plain.putEntries(SURVEY, [emitted(1)]);
    const state = process();
    await look(state, [1]);
    asked(world);
    await state.entries(SURVEY, [1]);
    expect(asked(world)).toEqual([1]);
  });

  it.each<[string, Partial<LedgerEntry>]>([
    ["without a digest", { digest: undefined as never }],
    ["with a digest that leaves fields out", { digest: `${DIGESTS[0]}~url` }],
    ["with the event id of another source", { eventId: eventId("other", SURVEY, 1) }],
    ["with a reason", { reason: "odd" }],
    ["that is open", { state: "open" }],
    ["from before the floor, with something unusual", { state: "before-floor" }],
  ])("%s is read each time, and given as it is", async (_name, fields) => {
    const { world, plain, process } = table();
    const entry = emitted(1, fields);
    await plain.putEntries(SURVEY, [entry]);
    const state = process();
    asked(world);
    for (let poll = 0; poll < 2; poll += 1) {
      expect((await look(state, [1])).get(1)).toEqual(structuredClone(entry));
      expect(asked(world)).toEqual([1]);
    }
  });
});

it("whatever several processes read, write and lose, each reads what the table holds", async () => {
  const id = fc.integer({ min: 1, max: 6 });
  const step = fc.record({
    who: fc.integer({ min: 0, max: 2 }),
    reads: fc.uniqueArray(id, { minLength: 1 }),
    writes: fc.uniqueArray(id, { maxLength: 2 }),
    state: fc.constantFrom<LedgerEntry["state"]>("emitted", "open", "waiting"),
    fails: fc.boolean(),
    dies: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const { world, plain, process } = table();
      const workers = [process(), process(), process()];
      let revision = 1;
      let isFailing = false;
      world.after.push(({ operation }) => {
        if (isFailing && operation === "putEntries") throw new Error("lost");
      });
      for (const { who, reads, writes, state, fails, dies } of steps) {
        const worker = workers[who] ?? plain;
        // A lease that nobody has given back runs out.
        world.time.now += LEASE + 1;
        const lease = await worker.acquire(SURVEY, `w${who}`, LEASE);
        if (lease === undefined) throw new Error("no lease");
        expect(await worker.entries(SURVEY, reads)).toEqual(await plain.entries(SURVEY, reads));
        revision += 1;
        isFailing = fails;
        const entries = writes.map((one) =>
          emitted(one, { state, revision, eventId: eventId(SOURCE, SURVEY, one, revision) }),
        );
        await worker.putEntries(SURVEY, entries).catch(() => undefined);
        isFailing = false;
        expect(await worker.entries(SURVEY, reads)).toEqual(await plain.entries(SURVEY, reads));
        if (!dies) await worker.release(lease, emptyMark());
      }
    }),
  );
});

describe("the memory", () => {
  const range = (from: number, length: number): number[] => Array.from({ length }, (_, i) => from + i);

  it("holds what the last pages of a survey have shown, and not its whole history", () => {
    const memory = createSettledMemory(SOURCE);
    const first = memory.under(SURVEY, 1);
    for (const id of range(1, 2_000)) first.add(emitted(id));
    const second = memory.under(SURVEY, 2);
    expect(range(1, 1_500).filter((id) => second.get(id) !== undefined)).toEqual([]);
    for (const id of range(1_501, 500)) expect(second.get(id)).toEqual(emitted(id));
  });

  it("has an end: the surveys that were longest not polled are forgotten", () => {
    const memory = createSettledMemory(SOURCE, 1_000);
    const isKept = (survey: number): boolean => memory.under(survey, 2).get(1) !== undefined;
    for (const survey of range(1, 12)) {
      const entries = memory.under(survey, 1);
      for (const id of range(1, 100)) entries.add(emitted(id, { eventId: eventId(SOURCE, survey, id) }));
    }
    expect(range(1, 12).reverse().filter(isKept)).toEqual(range(3, 10).reverse());
  });
});
