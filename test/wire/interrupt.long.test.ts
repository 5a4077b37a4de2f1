import { describe, expect, test } from "vitest";
import { compareWithTruth } from "./support/compare-with-truth.ts";
import { leaks, polledService } from "./support/polled-service.ts";

describe("SIGINT", () => {
  test("in the middle of a tick: the tick is finished, the summary printed, exit 0", async () => {
    const service = await polledService({ surveys: [{ surveyId: 1, responses: 120 }] });
    const { simulator } = service;
    const command = service.start({ "start-from": "beginning", ticks: undefined, interval: "1h" });
    let reads = 0;
    simulator.onPageRead(() => {
      reads += 1;
      if (reads === 3) command.kill("SIGINT");
    });

    const { code, stderr, stdout, events } = await command.done;

    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(compareWithTruth(events, simulator.truth())).toEqual([]);
    expect(stdout).toMatch(/^done: 1 ticks in .* 120 events,/m);
    expect(stdout).toMatch(/^survey 1: 120 emitted; books: closed at/m);
    expect(leaks(simulator, stdout + stderr)).toEqual([]);
  });

  test("between two ticks: nothing is waited for", async () => {
    const service = await polledService({ surveys: [{ surveyId: 1, responses: 5 }] });
    const { simulator } = service;
    const command = service.start({ "start-from": "now", ticks: undefined, interval: "1h" });
    await quiet(() => simulator.counters()["responses-order"] ?? 0);

    const asked = performance.now();
    command.kill("SIGTERM");
    const { code, stderr, stdout } = await command.done;

    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^done: 1 ticks in .* 0 events,/m);
    expect(performance.now() - asked).toBeLessThan(20_000);
  });
});

describe("--events -", () => {
  test("leaves standard output to the events, one line each", async () => {
    const service = await polledService({ surveys: [{ surveyId: 1, responses: 40 }] });
    const { events, stderr } = await service.poll({ "start-from": "beginning", events: "-", interval: "1h" });
    // Every line of standard output was parsed as an event.
    expect(compareWithTruth(events, service.simulator.truth())).toEqual([]);
    expect(stderr).toMatch(/^done: 1 ticks in .* 40 events,/m);
  });
});

/** Resolves once a count has begun to grow and then stood still for a while. */
async function quiet(count: () => number): Promise<void> {
  let last = 0;
  for (let still = 0; last === 0 || still < 20; still += 1) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    if (count() !== last) still = 0;
    last = count();
  }
}
