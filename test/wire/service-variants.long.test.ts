import { describe, expect, test } from "vitest";
import type { Settings, SettingsPatch, Simulator } from "../../local/simulator/index.ts";
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

describe("whatever the service does past the last page", () => {
  const pastEnds: Settings["pastEnd"][] = ["404", "400", "500", "repeatLast"];
  for (const pastEnd of pastEnds) {
    test(`${pastEnd}: each response once, and one token`, async () => {
      const simulator = await expectEachOnce({ pastEnd });
      expect(simulator.counters().token).toBe(1);
    });
  }
});

describe("a service that fails behind its last page", () => {
  test("though that page is full, and a list that holds nothing: books are closed at the first tick", async () => {
    const full = { surveyId: 1, responses: 40 };
    const service = await polledService({
      surveys: [full, { surveyId: 2 }],
      settings: { pastEnd: "500", recordsPerResponse: 5 },
    });
    const { events, stdout } = await service.poll({ "start-from": "beginning", ticks: "1" });
    expect(events).toHaveLength(full.responses);
    expect(compareWithTruth(events, service.simulator.truth())).toEqual([]);
    expect(stdout.match(/books: closed at/g)).toHaveLength(2);
  });
});

describe("open responses in the list", () => {
  test("are held, and go out once they are completed", async () => {
    const service = await polledService({ surveys, settings: { openListed: true } });
    const { simulator } = service;
    // Its share of a minute is time enough for one tick to do all of it.
    const first = await service.poll({ "start-from": "beginning", interval: "1m" });
    expect(compareWithTruth(first.events, simulator.truth())).toEqual([]);
    expect(first.stdout).toMatch(/^survey 1: 90 emitted; books: closed at .*\(120 listed = 90 emitted .* \+ 30 open/m);

    // On the head page: by its id one of these is among the newest.
    const last = simulator.openIds(1).at(-1) ?? 0;
    simulator.finish(1, last);
    const second = await service.poll({ "start-from": "beginning" });
    expect(compareWithTruth(second.events, simulator.truth())).toEqual([]);
    expect(second.events.at(-1)?.detail.data.responseId).toBe(last);
  });
});

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

  test("that asks for a pause is left alone by what was queued already", async () => {
    const service = await polledService({ surveys: [{ surveyId: 1, responses: 5 }] });
    const { simulator } = service;
    await service.poll({ "start-from": "now" });
    const completed = simulator.complete(1, 150);
    const limited = simulator.fault({ kind: "status", status: 429, retryAfter: 1, operation: ["metrics", "metadata"] });
    // The limit goes before the second that was asked for is over, so that only what did not wait meets it.
    const refusedOnce = setInterval(() => {
      if (simulator.counters()["status:429"] === undefined) return;
      clearInterval(refusedOnce);
      setTimeout(limited, 700);
    }, 5);

    const { events } = await service.poll({ "start-from": "now" });

    const truth = simulator.truth().filter(({ responseId }) => completed.includes(responseId));
    expect(compareWithTruth(events, truth)).toEqual([]);
    const refused = simulator.counters()["status:429"] ?? 0;
    expect(refused).toBeGreaterThan(0);
    // `concurrency` is 16 unless configured otherwise.
    expect(refused).toBeLessThanOrEqual(16);
  });

  test("that grants far fewer requests than the news need is polled to the end all the same", async () => {
    const service = await polledService({ surveys: [{ surveyId: 1, responses: 5 }] });
    const { simulator } = service;
    await service.poll({ "start-from": "now" });
    const completed = simulator.complete(1, 150);
    const rateLimit = { perSecond: 80, burst: 40, retryAfter: "seconds" } as const;
    simulator.set({ rateLimit });
    simulator.resetCounters();

    const { events } = await service.poll({ "start-from": "now" });

    const truth = simulator.truth().filter(({ responseId }) => completed.includes(responseId));
    expect(compareWithTruth(events, truth)).toEqual([]);
    // Each pause lasts long enough for a whole burst, and meets at most what was in flight when it began.
    const { "status:200": granted = 0, "status:429": refused = 0 } = simulator.counters();
    expect(granted).toBeLessThanOrEqual(2.4 * 150 + 4);
    expect(refused).toBeLessThanOrEqual(16 * Math.ceil(granted / rateLimit.burst));
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
