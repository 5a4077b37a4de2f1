import { describe, expect, test } from "vitest";
import type { SettingsPatch, Simulator } from "../../local/simulator/index.ts";
import { compareWithTruth } from "./support/compare-with-truth.ts";
import { beforeEachList, polledService } from "./support/polled-service.ts";
import { scripted } from "./support/script.ts";

const surveys = [
  { surveyId: 1, responses: 90, open: 30 },
  { surveyId: 2, responses: 30 },
];

/** What a tick has no time for, where the service or a busy machine holds it up, is caught up in slices, which are not one pass over all pages. */
const closedOrSliced = /books: (closed at|not closed yet: no scan)/g;

/** Milliseconds after which what has missed all its attempts is due again. */
const LATER = 60_000;

/**
 * Everything once: what is there at the first tick, and what completes before the second. Where the service misbehaves another one
 * follows later, without that.
 */
async function expectEachOnce(settings: SettingsPatch, misbehave?: (simulator: Simulator) => void): Promise<Simulator> {
  const service = await polledService({ surveys, settings });
  const { simulator } = service;
  beforeEachList(simulator, (nth) => nth === 2 && simulator.complete(1, 15));
  misbehave?.(simulator);
  const flags = { "start-from": "beginning" };
  let polled = await service.poll({ ...flags, ticks: "2" });
  if (misbehave !== undefined) {
    simulator.clearFaults();
    polled = await service.poll(flags, { env: scripted({ ahead: LATER }) });
  }
  const { events, stdout } = polled;
  expect(events).toHaveLength(90 + 30 + 15);
  expect(compareWithTruth(events, simulator.truth())).toEqual([]);
  expect(stdout.match(closedOrSliced)).toHaveLength(2);
  return simulator;
}

describe("a service with troubles", () => {
  test("that limits the rate and says when to come back gets its pauses", async () => {
    const rateLimit = { perSecond: 120, burst: 60, retryAfter: "seconds" } as const;
    const simulator = await expectEachOnce({ rateLimit }, undefined);
    const log = simulator.log();
    const refused = log.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    // Each says to wait a second: what was in flight by then comes at once, and nothing more before that second is over.
    const intoPause = log.filter(({ at }) => refused.some((pause) => at > pause.at + 300 && at < pause.at + 900));
    expect(intoPause.map(({ path }) => path)).toEqual([]);
  });

  test("that answers 500 and resets connections at random loses nothing", async () => {
    const misbehave = (service: Simulator): void => {
      service.fault({ kind: "status", status: 500, probability: 0.05 });
      service.fault({ kind: "reset", when: "before", probability: 0.03 });
      service.fault({ kind: "reset", when: "during", probability: 0.02 });
    };
    const simulator = await expectEachOnce({}, misbehave);
    const counters = simulator.counters();
    expect(counters["status:500"]).toBeGreaterThan(0);
    expect(simulator.log().filter(({ status }) => status === 0).length).toBeGreaterThan(0);
  });

  test("in one survey alone leaves the others be, and quotes nothing of what could not be read", async () => {
    const service = await polledService({ surveys });
    const { simulator } = service;
    // As often as a page is asked for in one tick.
    simulator.fault({ kind: "truncate", operation: "responses-order", surveyId: 2, count: 3 });

    const { events, stdout } = await service.poll({ "start-from": "beginning" });

    expect(stdout.match(/^survey 2: .* tried again at the next tick$/gm)).toHaveLength(1);
    expect(stdout).not.toMatch(/^survey 1: .* tried again/m);
    expect(compareWithTruth(events, simulator.truth())).toEqual([]);
  });
});
