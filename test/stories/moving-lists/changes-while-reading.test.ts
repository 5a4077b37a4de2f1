import { describe, expect, it } from "vitest";
import {
  arrive,
  at,
  deliveredIds,
  range,
  recordsOf,
  replace,
  runTick,
  surveyOf,
  takes,
  worldWith,
} from "../../support/survey.ts";

const MINUTE = 60_000;
const bare = { enrich: { metrics: false, metadata: false } };
const fromNow = { source: { ...bare, startFrom: "now" as const } };
const fromBeginning = { source: { ...bare, startFrom: "beginning" as const } };

async function quiet(world: ReturnType<typeof worldWith>, ticks: number, options = {}): Promise<void> {
  for (let i = 0; i < ticks; i += 1) {
    world.time.now += MINUTE;
    await runTick(world, options);
  }
}

describe("a list that changes while it is read", () => {
  it("loses no open response that completes between two reads of its page", async () => {
    const world = worldWith([]);
    await runTick(world);
    arrive(world, { responseId: 1, size: 3 });
    for (const id of range(2, 50)) arrive(world, { responseId: id, size: 3, completed: at(id) });
    let pages = 0;
    world.after.push(({ operation }) => {
      if (operation !== "page") return;
      pages += 1;
      if (pages !== 2) return;
      replace(world, { responseId: 1, size: 3, completed: at(900) });
      arrive(world, { responseId: 51, size: 3, completed: at(901) });
    });

    await quiet(world, 120);

    expect(deliveredIds(world)).toContain(1);
  });

  it("is not taken to end at a page that is read as empty once", async () => {
    const world = worldWith(range(1, 40).map((id) => ({ responseId: id, size: 7, completed: at(-id * 1_000) })));
    const read = world.ports.service.page;
    let once = true;
    world.ports.service.page = async (surveyId, page, order) => {
      if (!once || order !== "asc" || page !== 3) return read(surveyId, page, order);
      once = false;
      return { kind: "page", records: [] };
    };

    await runTick(world, fromBeginning);
    await quiet(world, 20, fromBeginning);

    expect(deliveredIds(world).toSorted((a, b) => a - b)).toEqual(range(1, 40));
    expect(world.delivered.map(({ data }) => data.answers.length).filter((length) => length !== 7)).toEqual([]);
  });

  it("finishes a head walk that was cut short, though its first page is read as empty once in between", async () => {
    const world = worldWith(range(1, 100).map((id) => ({ responseId: id, size: 10, completed: at(-id * 1_000) })));
    await runTick(world, fromNow);
    const counts = { ...surveyOf(world).counts };
    // Oldest first is from the head down here, so that the first batch settles page 1 and no other.
    for (const id of range(101, 130)) {
      arrive(world, { responseId: id, size: 10, completed: at((200 - id) * 1_000) });
    }
    // Counts that stand still: only the walk itself can know that it has not come to its end.
    surveyOf(world).counts = { ...counts };
    const read = world.ports.service.page;
    const pages: number[] = [];
    let publishes = 0;
    let empty = false;
    world.before.push(({ operation }) => {
      if (operation !== "publish") return;
      publishes += 1;
      if (publishes !== 2) return;
      empty = true;
      throw Object.assign(new Error("down"), { code: "PUBLISH_FAILED" });
    });
    world.ports.service.page = async (surveyId, page, order) => {
      // The full pass reads asc pages meanwhile.
      if (order === "desc" && deliveredIds(world).length < 30) pages.push(page);
      if (!empty) return read(surveyId, page, order);
      empty = false;
      return { kind: "page", records: [] };
    };

    await quiet(world, 120, fromNow);

    expect(publishes).toBeGreaterThan(2);
    // As many pages that hold something known as it had read before, and one: 13 would be the whole list.
    expect(Math.max(...pages)).toBeLessThanOrEqual(7);
    expect(deliveredIds(world).toSorted((a, b) => a - b)).toEqual(range(101, 130));
  });

  it("loses nothing that completes while the first reading of a list in no order takes several ticks", async () => {
    const spread = (id: number): number => -((id * 17) % 61) * MINUTE;
    const world = worldWith(range(1, 60).map((id) => ({ responseId: id, size: 10, completed: at(spread(id)) })));
    takes(world, 10_000, ({ operation }) => operation === "page");
    const noon = world.time.now;
    for (let i = 0; i < 5; i += 1) {
      await runTick(world, { ...fromNow, deadline: world.time.now + 15_000 });
      world.time.now += 30_000;
      arrive(world, { responseId: 100 + i, size: 10, completed: at(world.time.now - noon) });
    }
    for (let i = 0; i < 100; i += 1) {
      await runTick(world, { ...fromNow, deadline: world.time.now + 15_000 });
      world.time.now += 30_000;
    }

    expect(deliveredIds(world)).toEqual(expect.arrayContaining(range(100, 104)));
    const history = world.delivered.filter(({ data }) => data.responseId <= 60);
    const start = world.account.start?.at ?? "";
    expect(history.filter(({ data }) => (data.response.completed.local ?? "") <= start)).toEqual([]);
  });

  it("does not take a newly listed open response for the completion that a count has shown", async () => {
    const old = range(2, 60).map((id) => ({ responseId: id, size: 10, completed: at(-(100 - id) * MINUTE) }));
    const world = worldWith([{ responseId: 1, size: 10 }, ...old]);
    const survey = surveyOf(world);
    survey.counts = { responses: 59, correct: 59, unpaidResponses: 0 };
    await runTick(world, fromBeginning);
    replace(world, { responseId: 1, size: 10, completed: at(MINUTE) });
    survey.counts = { responses: 60, correct: 60, unpaidResponses: 0 };
    survey.records.push(...recordsOf({ responseId: 200, size: 10 }));

    await quiet(world, 120, fromBeginning);

    expect(deliveredIds(world)).toContain(1);
  });
});
