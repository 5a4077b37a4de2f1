import { describe, expect, it } from "vitest";
import { closeBooks, type FinishedPass, leaveOpen } from "../../../../lib/polling/books/books.ts";
import { createPassIds } from "../../../../lib/polling/books/pass-ids.ts";
import type { PollContext } from "../../../../lib/polling/context.ts";
import type { Tally } from "../../../../lib/polling/model/books.ts";
import type { EntryState } from "../../../../lib/polling/model/ledger-entry.ts";
import { memoryWorld } from "../../../support/memory-ports.ts";
import { HOUR, noon, range, sourceDefaults } from "../../../support/survey.ts";

/** The books of survey 1, whose ledger has these responses in these states, and the survey list so many. */
async function booksOf(states: EntryState[], listedCount?: number) {
  const world = memoryWorld(noon);
  const lease = await world.ports.state.acquire(1, "test", HOUR);
  if (lease === undefined) throw new Error("busy");
  await world.ports.state.putEntries(
    1,
    states.map((state, i) => ({ id: i + 1, state })),
  );
  const { mark } = lease;
  const ctx = { ports: world.ports, surveyId: 1, source: sourceDefaults, lease, mark, listedCount } as PollContext;
  const close = (ids: Iterable<number>, more: Partial<FinishedPass> = {}): Promise<void> => {
    const met = createPassIds();
    for (const id of ids) met.add(id);
    const counted = { moved: false, changed: 0, repaired: 0, found: 0 };
    return closeBooks(ctx, { ids: met, startedAt: noon, ...counted, ...more });
  };
  return { world, mark, close };
}

// R29
describe("the books of a pass", () => {
  it.each<[EntryState, keyof Tally]>([
    ["emitted", "emitted"],
    ["before-floor", "beforeFloor"],
    ["open", "open"],
    ["held", "held"],
    ["waiting", "waiting"],
    ["quarantined", "quarantined"],
    ["refused", "refused"],
  ])("have a response that the ledger has as %s at their end in the class %s", async (state, kind) => {
    const { mark, close } = await booksOf([state]);
    await close([1]);
    const none = { emitted: 0, beforeFloor: 0, open: 0, held: 0, waiting: 0, quarantined: 0, refused: 0 };
    expect(mark.books).toMatchObject({ ...none, listed: 1, [kind]: 1 });
    expect(mark.booksOpen).toBeUndefined();
  });

  it("have one without an item in no class: they stay open", async () => {
    const { mark, close } = await booksOf(["emitted", "before-floor"]);
    await close([1, 2]);
    expect(mark.books).toMatchObject({ listed: 2, emitted: 1, beforeFloor: 1 });
    await close([1, 2, 3]);
    expect(mark).toMatchObject({ booksOpen: { code: "unaccounted", count: 1 } });
    expect(mark.books).toMatchObject({ listed: 2 });
  });

  it("have each response in one class, however many they are", async () => {
    const states = range(1, 1_050).map((i): EntryState => (i % 3 === 0 ? "emitted" : i % 3 === 1 ? "held" : "waiting"));
    const { mark, close } = await booksOf(states);
    await close(range(1, 1_050));
    expect(mark.books).toMatchObject({ listed: 1_050, emitted: 350, held: 350, waiting: 350 });
  });

  it("name what the service counts beyond what it lists", async () => {
    const { mark, close } = await booksOf(
      range(1, 4).map(() => "emitted"),
      6,
    );
    await close([1, 2, 3]);
    expect(mark.books).toMatchObject({ listed: 3, deficit: 3, passes: 1 });
    await close([2, 3, 4]);
    expect(mark.books).toMatchObject({ listed: 3, deficit: 3, passes: 2 });
  });

  it("begin to count their passes anew once they were open", async () => {
    const { mark, close } = await booksOf(["emitted"]);
    for (const _ of [1, 2, 3]) await close([1]);
    expect(mark.books?.passes).toBe(3);
    await close([1, 99]);
    expect(mark.booksOpen).toBeDefined();
    await close([1]);
    expect(mark.books?.passes).toBe(1);
  });

  it("of a list that is empty though there were responses close at the third pass that says so", async () => {
    const { mark, close } = await booksOf(["emitted"]);
    await close([1]);
    for (const _ of [1, 2]) {
      await close([]);
      expect(mark).toMatchObject({ booksOpen: { code: "read-as-empty" }, books: { listed: 1 } });
    }
    await close([]);
    expect(mark.books).toMatchObject({ listed: 0, emitted: 0 });
  });

  it("that stay open have their next pass after an eighth of its period", async () => {
    const { mark, world } = await booksOf([]);
    const ctx = { mark, source: sourceDefaults, ports: world.ports } as PollContext;
    leaveOpen(ctx, { code: "pages-unreachable", pages: [3] }, noon);
    expect(mark).toMatchObject({
      booksOpen: { code: "pages-unreachable", pages: [3] },
      nextPass: noon + sourceDefaults.patrol.full / 8,
    });
  });
});
