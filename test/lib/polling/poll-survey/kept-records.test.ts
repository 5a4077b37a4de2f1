import { describe, expect, it } from "vitest";
import { failing } from "../support/failing.ts";
import { at, deliveredIds, HOUR, poll, worldWith } from "../support/survey.ts";

describe("what is kept of a waiting response", () => {
  it("lies in the vault when it is large, and comes back from there", async () => {
    const world = worldWith([{ responseId: 1, completed: at(0), size: 60, fields: { comment: "x".repeat(2_000) } }]);
    const mend = failing(world, "metrics");
    await poll(world);
    expect(world.entry(1, 1)?.kept).toBeUndefined();
    expect(world.objects.size).toBe(1);

    mend();
    world.time.now += HOUR;
    await poll(world);
    expect(world.delivered[0]?.data.answers).toHaveLength(60);
  });

  it("when it is gone makes the response new again, so that the list gives it once more", async () => {
    const world = worldWith([{ responseId: 1, completed: at(0), size: 60, fields: { comment: "x".repeat(2_000) } }]);
    const mend = failing(world, "metrics");
    await poll(world);

    mend();
    world.objects.clear();
    world.time.now += HOUR;
    await poll(world);

    expect(deliveredIds(world)).toEqual([1]);
    expect(world.entry(1, 1)?.state).toBe("emitted");
  });

  it("holds neither comments nor addresses that the privacy setting drops", async () => {
    const world = worldWith([{ responseId: 1, completed: at(0), fields: { comment: "call me on 555" } }]);
    failing(world, "metrics");

    await poll(world, { source: { privacy: { ip: "truncate", referrer: "drop", comments: "drop" } } });

    const kept = JSON.stringify(world.entry(1, 1)?.kept);
    expect(kept).not.toContain("555");
    expect(kept).not.toContain("203.0.113.77");
    expect(kept).toContain("203.0.113.0");
  });
});
