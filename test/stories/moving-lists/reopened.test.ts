import { describe, expect, it } from "vitest";
import { closedBooks } from "../../support/slow.ts";
import { at, HOUR, MINUTE, range, replace, runTick, SECOND, surveyOf, worldWith } from "../../support/survey.ts";

describe("a response that is open again by the time its page is read again", () => {
  it.each(range(1, 8))("is not emitted before it is completed: reopened before the read of page %i", async (when) => {
    const world = worldWith([
      { responseId: 1, completed: at(-3 * SECOND), size: 60 },
      { responseId: 2, completed: at(-2 * SECOND), size: 60 },
      { responseId: 3, completed: at(-SECOND), size: 30 },
    ]);
    let pages = 0;
    world.before.push(({ operation }) => {
      if (operation === "page") pages += 1;
      if (operation === "page" && pages === when) replace(world, { responseId: 2, size: 40 });
    });
    const ticks = async (count: number): Promise<void> => {
      for (const _ of range(1, count)) {
        await runTick(world, { source: { patrol: { every: HOUR, full: 30 * MINUTE } } });
        world.time.now += MINUTE;
      }
    };
    const sent = () => world.delivered.filter(({ data }) => data.responseId === 2).map(({ data }) => data);
    await ticks(6);
    const before = sent();
    // Where its pages were read as it was completed it went out as it was then.
    for (const { answers, response } of before) {
      expect([answers.length, response.completed.local]).toEqual([60, at(-2 * SECOND)]);
    }
    if (before.length > 0) return;

    replace(world, { responseId: 2, completed: at(HOUR), size: 40 });
    surveyOf(world).counts.responses = 4;
    await ticks(120);
    expect(sent().map(({ answers, response }) => [answers.length, response.completed.local])).toEqual([[40, at(HOUR)]]);
    expect(closedBooks(world)).toMatchObject({ listed: 3, emitted: 3 });
  });
});
