import { describe, expect, it } from "vitest";
import { at, deliveredIds, MINUTE, noon, runTick, SECOND, timesCalled, worldWith } from "../../support/survey.ts";

const world = (pausedUntil: number) => {
  const made = worldWith([{ responseId: 1, completed: at(0) }]);
  made.account.pausedUntil = pausedUntil;
  return made;
};

describe("a pause that another worker was told", () => {
  it.each<[string, number, object]>([
    ["as long as the interval", MINUTE, { source: { interval: MINUTE } }],
    ["longer than what is waited for within a tick", 20 * SECOND + 1, {}],
    ["longer than the time that is left", 10 * SECOND, { deadline: noon + 10 * SECOND - 1 }],
    ["as long as a short interval", 5 * SECOND, { source: { interval: 5 * SECOND } }],
    ["longer than what is waited for, where ticks follow at once", 20 * SECOND + 1, { source: { interval: 0 } }],
  ])("%s ends the tick before any request, and changes nothing", async (_name, length, overrides) => {
    const made = world(noon + length);

    const summary = await runTick(made, overrides);

    expect(summary).toEqual({
      source: "main",
      listed: 0,
      surveys: [],
      unpolled: 0,
      behind: 0,
      outages: [],
      pausedUntil: noon + length,
    });
    expect(made.calls.map(({ operation }) => operation)).toEqual(["takeRole", "account", "giveBackRole"]);
    expect(made.progress).toEqual([{ kind: "paused", until: noon + length }]);
  });

  it.each<[string, number, object]>([
    ["short enough to be waited for", 20 * SECOND, {}],
    ["short, where ticks follow at once,", SECOND, { source: { interval: 0 } }],
    ["over", 0, {}],
    ["over since long", -MINUTE, { source: { interval: 0 } }],
  ])("%s is left to the client", async (_name, length, overrides) => {
    const made = world(noon + length);
    const summary = await runTick(made, overrides);
    expect(summary.pausedUntil).toBeUndefined();
    expect(timesCalled(made, "service", "surveys")).toBe(1);
    expect(deliveredIds(made)).toEqual([1]);
  });
});
