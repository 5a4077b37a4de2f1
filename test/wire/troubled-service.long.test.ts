import { describe, expect, test } from "vitest";
import { compareWithTruth } from "./support/compare-with-truth.ts";
import { polledService } from "./support/polled-service.ts";

const surveys = [
  { surveyId: 1, responses: 90, open: 30 },
  { surveyId: 2, responses: 30 },
];

describe("a service with troubles", () => {
  test("that limits the rate and says when to come back gets its pauses", async () => {
    const rateLimit = { perSecond: 120, burst: 60, retryAfter: "seconds" } as const;
    const service = await polledService({ surveys, settings: { rateLimit } });
    const { simulator } = service;
    const { events } = await service.poll({ "start-from": "beginning" });
    expect(compareWithTruth(events, simulator.truth())).toEqual([]);
    const log = simulator.log();
    const refused = log.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    // Each says to wait a second: what was in flight by then comes at once, and nothing more before that second is over.
    const intoPause = log.filter(({ at }) => refused.some((pause) => at > pause.at + 300 && at < pause.at + 900));
    expect(intoPause.map(({ path }) => path)).toEqual([]);
  });

  test("in one survey alone leaves the others be, and quotes nothing of what could not be read", async () => {
    const service = await polledService({ surveys });
    const { simulator } = service;
    // As often as a page is asked for in one tick.
    simulator.fault({ kind: "truncate", operation: "responses-order", surveyId: 2, count: 6 });

    const { events, stdout } = await service.poll({ "start-from": "beginning" });

    expect(stdout.match(/^survey 2: .* tried again at the next tick$/gm)).toHaveLength(1);
    expect(stdout).not.toMatch(/^survey 1: .* tried again/m);
    expect(compareWithTruth(events, simulator.truth())).toEqual([]);
  });
});
