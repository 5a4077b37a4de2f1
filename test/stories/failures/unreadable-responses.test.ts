import { describe, expect, it } from "vitest";
import {
  arrive,
  at,
  deliveredIds,
  HOUR,
  MINUTE,
  pagesRead,
  poll,
  polled,
  range,
  runTick,
  surveyOf,
  worldWith,
} from "../../support/survey.ts";

const later = range(51, 80).map((responseId) => ({ responseId, completed: at(responseId) }));
const complete = (count: number) => range(1, count).map((responseId) => ({ responseId, completed: at(responseId) }));

describe("a response whose completed cannot be read", () => {
  it("is quarantined with its records, and the others go out", async () => {
    const world = worldWith([...complete(2), { responseId: 3, completed: at(0), fields: { completed: "perhaps" } }]);

    const { mark } = await polled(world);

    expect(deliveredIds(world)).toEqual([1, 2]);
    expect(world.entry(1, 3)).toMatchObject({ state: "quarantined", reason: "unreadable completed" });
    expect(world.entry(1, 3)?.kept).toMatchObject({ records: [{ completed: "perhaps" }, { completed: "perhaps" }] });
    expect(mark.books).toMatchObject({ listed: 3, emitted: 2, quarantined: 1 });
  });

  it("is counted in what the poll came to", async () => {
    const world = worldWith([{ responseId: 3, completed: at(0), fields: { completed: "perhaps" } }]);
    surveyOf(world).records.push({ responseId: "?" });
    expect((await polled(world)).counts.quarantined).toBe(2);
  });

  it("goes out once it can be read", async () => {
    const world = worldWith([...complete(2), { responseId: 3, completed: at(0), fields: { completed: "perhaps" } }]);
    await poll(world);

    for (const record of surveyOf(world).records as { completed: unknown }[]) record.completed = 1;
    await poll(world);

    expect(deliveredIds(world)).toEqual([1, 2, 3]);
  });

  it("and that becomes readable between two reads of its page is judged anew: it may be history", async () => {
    const world = worldWith([
      ...complete(49),
      { responseId: 50, completed: at(50), fields: { completed: "?" } },
      ...later,
    ]);
    // It stands across the edge of the first page.
    surveyOf(world).records.unshift({ responseId: "?" });
    let read = 0;
    world.before.push(({ operation, args }) => {
      if (operation !== "page" || args[1] !== 1 || args[2] !== "asc") return;
      read += 1;
      if (read < 2) return;
      for (const record of surveyOf(world).records as { completed: unknown }[]) record.completed = 1;
    });
    const start = { from: "2027-01-01", at: "2027-01-01 00:00:00" };

    for (let i = 0; i < 3; i += 1) await poll(world, { start });

    expect(read).toBeGreaterThan(1);
    expect(deliveredIds(world)).toEqual([]);
    expect(world.entry(1, 50)).not.toMatchObject({ state: "emitted" });
    expect(world.mark(1)).toMatchObject({ phase: { kind: "head" } });
  });

  // R6, R9
  it("and that ends at a page that always fails is quarantined all the same, so that the first pass comes to its end", async () => {
    const world = worldWith(range(1, 60).map((responseId) => ({ responseId, completed: at(responseId), size: 10 })));
    const cut = (surveyOf(world).records as { responseId: number; completed: unknown }[]).slice(190, 200);
    for (const record of cut) record.completed = "perhaps";
    let isDown = true;
    world.before.push(({ operation, args: [, page, order] }) => {
      if (isDown && operation === "page" && order === "asc" && page === 3) throw new Error("no answer");
    });
    const tickFor = async (minutes: number): Promise<void> => {
      for (const _ of range(1, minutes)) {
        world.time.now += MINUTE;
        await runTick(world, { source: { backgroundRequests: 100, patrol: { every: HOUR, full: HOUR } } });
      }
    };
    await tickFor(8);
    expect(world.mark(1)).toMatchObject({
      phase: { kind: "head" },
      booksOpen: { code: "pages-unreachable", pages: [3] },
    });
    expect(world.entry(1, 20)).toMatchObject({ state: "quarantined", reason: "unreadable completed" });

    isDown = false;
    await tickFor(60);
    expect(world.entry(1, 20)?.state).toBe("quarantined");
    expect(world.mark(1).books).toMatchObject({ listed: 60, emitted: 59, quarantined: 1, held: 0 });
  });

  it("is not news again: the next poll reads one page", async () => {
    const world = worldWith([...complete(150), { responseId: 200, completed: at(0), fields: { completed: {} } }]);
    await poll(world);
    const read = pagesRead(world).length;

    await poll(world);

    expect(pagesRead(world).slice(read)).toEqual(["desc/1"]);
  });
});

// R13
describe("a record without a readable responseId", () => {
  const orphan = { responseId: "?", completed: 1, questionId: 1, comment: "private" };

  it("is quarantined by itself, without what privacy drops; the rest of its page goes on", async () => {
    const world = worldWith(complete(3));
    surveyOf(world).records.splice(2, 0, orphan);

    await poll(world, { source: { privacy: { ip: "keep", referrer: "keep", comments: "drop" } } });

    expect(deliveredIds(world)).toEqual([1, 2, 3]);
    const [entry, ...others] = world.entries(1).filter(({ state }) => state === "quarantined");
    expect(others).toEqual([]);
    expect(entry).toMatchObject({ reason: "unreadable responseId", kept: { records: [{ responseId: "?" }] } });
    expect(JSON.stringify(entry)).not.toContain("private");
  });

  it("is one of several equal ones on a page without stopping the survey", async () => {
    const world = worldWith(complete(3));
    surveyOf(world).records.push(null, null);

    await poll(world);

    expect(deliveredIds(world)).toEqual([1, 2, 3]);
    expect(world.entries(1).filter(({ state }) => state === "quarantined")).toHaveLength(1);
  });

  it("is not news again: the next poll reads one page", async () => {
    const world = worldWith(complete(150));
    surveyOf(world).records.push(orphan);
    await poll(world);
    const read = pagesRead(world).length;

    await poll(world);

    expect(pagesRead(world).slice(read)).toEqual(["desc/1"]);
  });

  it("may be of any JSON at all", async () => {
    const world = worldWith(complete(1));
    surveyOf(world).records.push(7, "text", [], {}, true, { responseId: -1 }, { responseId: 1.5 });

    await poll(world);

    expect(world.entries(1).filter(({ state }) => state === "quarantined")).toHaveLength(7);
    expect(deliveredIds(world)).toEqual([1]);
  });
});

// R13
describe("fields that are irregular, but readable", () => {
  it("do not hold the response back, and the event names them", async () => {
    const world = worldWith([{ responseId: 1, completed: at(0), fields: { comment: 7, score: "high", iso3166: [] } }]);

    await poll(world);

    expect(world.delivered[0]?.meta.irregular).toEqual(
      expect.arrayContaining(["answers.1.comment", "answers.2.score", "iso3166"]),
    );
    expect(world.delivered[0]?.data.answers[0]).toMatchObject({ comment: "", raw: { comment: 7, score: "high" } });
  });

  it("include an id and a flag written as text", async () => {
    const world = worldWith([]);
    arrive(world, { responseId: 5, completed: at(0), fields: { responseId: "5", completed: "1" } });
    await poll(world);
    expect(deliveredIds(world)).toEqual([5]);
  });
});
