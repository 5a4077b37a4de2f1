import { describe, expect, it } from "vitest";
import type { LedgerEntry } from "../../../lib/polling/index.ts";
import { failing } from "../../support/failing.ts";
import type { PortCall } from "../../support/memory-ports.ts";
import { large } from "../../support/refused.ts";
import { arrive, at, deliveredIds, HOUR, poll, worldWith } from "../../support/survey.ts";

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

  it("is deleted from there once the response is in the ledger, not before", async () => {
    const world = worldWith([
      { responseId: 1, completed: at(0), ...large },
      { responseId: 2, completed: at(1), ...large },
    ]);
    const mend = failing(world, "metrics");
    await poll(world);
    expect(world.objects.size).toBe(2);

    mend();
    world.time.now += HOUR;
    const left: number[] = [];
    world.before.push(({ operation, args }) => {
      const entries = operation === "putEntries" ? (args[1] as LedgerEntry[]) : [];
      if (entries.some(({ state }) => state === "emitted")) left.push(world.objects.size);
    });
    await poll(world);

    expect(left).toEqual([2]);
    expect(world.objects.size).toBe(0);
  });

  it("stays there when the ledger write fails, until the time of the bucket is over; and so it does when it cannot be deleted", async () => {
    for (const broken of ["putEntries", "delete"]) {
      const world = worldWith([{ responseId: 1, completed: at(0), ...large }]);
      const mend = failing(world, "metrics");
      await poll(world);
      mend();
      world.time.now += HOUR;
      world.before.push(({ operation }) => {
        if (operation === broken) throw new Error("no answer");
      });
      await poll(world).catch(() => undefined);
      expect(world.objects.size).toBe(1);

      world.before.length = 0;
      await poll(world);
      expect(deliveredIds(world)).toEqual([1]);
      expect(world.entry(1, 1)?.state).toBe("emitted");
    }
  });

  it("when it is gone makes the response new again, so that the list gives it once more", async () => {
    const world = worldWith([{ responseId: 1, completed: at(0), size: 60, fields: { comment: "x".repeat(2_000) } }]);
    const mend = failing(world, "metrics");
    await poll(world);

    mend();
    world.objects.clear();
    world.time.now += HOUR;
    await poll(world);
    expect(world.entry(1, 1)?.state).toBe("open");
    await poll(world);

    expect(deliveredIds(world)).toEqual([1]);
    expect(world.entry(1, 1)?.state).toBe("emitted");
  });

  it("when it cannot be read now keeps nothing else of the survey back, and stays due", async () => {
    const world = worldWith([
      { responseId: 1, completed: at(0), ...large },
      { responseId: 2, completed: at(1), ...large },
      { responseId: 3, completed: at(2) },
    ]);
    const mend = failing(world, "metrics");
    await poll(world);
    mend();
    arrive(world, { responseId: 4, completed: at(3) });
    const unread = (call: PortCall): void => {
      if (call.operation === "get" && String(call.args[0]).includes("/1/1/")) throw new Error("the vault is busy");
    };
    world.before.push(unread);
    world.time.now += HOUR;
    await expect(poll(world)).rejects.toThrow("the vault is busy");
    expect(deliveredIds(world)).toEqual([2, 3, 4]);

    world.before.splice(world.before.indexOf(unread), 1);
    await poll(world);
    expect(deliveredIds(world)).toEqual([2, 3, 4, 1]);
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
