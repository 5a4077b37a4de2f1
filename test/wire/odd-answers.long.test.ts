import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import type { Simulator } from "../../local/simulator/index.ts";
import { type DeliveredEvent, readEvents } from "../support/command.ts";
import { compareWithTruth } from "./support/compare-with-truth.ts";
import { beforeEachList, type Flags, type PolledService, polledService } from "./support/polled-service.ts";
import { scripted } from "./support/script.ts";

const flags = { "start-from": "beginning" };
const MINUTE = 60_000;

/** A run whose clock is so many minutes ahead: what waits is due by then. */
const later = (service: PolledService, minutes: number, more: Flags = {}) =>
  service.poll({ ...flags, ...more }, { env: scripted({ ahead: minutes * MINUTE }) });

/** The flag of a configuration file with these fields. */
function configured({ folder }: PolledService, fields: object): string {
  const file = join(folder, "config.json");
  writeFileSync(file, JSON.stringify(fields));
  return file;
}

/** How often something was asked for whose path ends so. */
const asked = (simulator: Simulator, end: string): number =>
  simulator.log().filter(({ path }) => path.endsWith(end)).length;

describe("metadata of another respondent", () => {
  test("is in no event, be it every answer or every fifth, and each event has its own in the end", async () => {
    const service = await polledService({ surveys: [{ surveyId: 1, responses: 3 }], settings: { metadataMixups: 1 } });
    const { simulator } = service;
    expect((await service.poll(flags)).events).toEqual([]);
    // Each was asked for three times in vain.
    expect(simulator.counters().metadata).toBe(3 * 3);

    simulator.set({ metadataMixups: 0.2 });
    simulator.complete(1, 150);
    for (let run = 1; run <= 5; run += 1) {
      const { events } = await later(service, 2 * run);
      const out = new Set(events.map(({ detail }) => detail.data.responseId));
      const truth = simulator.truth().filter(({ responseId }) => out.has(responseId));
      expect(compareWithTruth(events, truth)).toEqual([]);
      if (out.size === 153) break;
    }
    expect(readEvents(join(service.folder, "events.jsonl"))).toHaveLength(153);
    expect(simulator.counters().metadata).toBeGreaterThan(9 + 153 + 15);
  });
});

describe("pages of another survey", () => {
  test("make no event under a wrong survey, and each response of both goes out once", async () => {
    // Both have as many pages: a page that the other survey has not got would look like the end of the list.
    const surveys = [1, 2].map((surveyId) => ({ surveyId, responses: 90 }));
    const service = await polledService({ surveys, settings: { pageMixups: 1, recordsPerResponse: 4 } });
    const { simulator } = service;
    let inVain: number | undefined;
    beforeEachList(simulator, (nth) => {
      if (nth !== 2) return;
      inVain = simulator.counters()["responses-order"];
      simulator.set({ pageMixups: 0.1 });
    });

    const { events, stdout } = await service.poll({ ...flags, ticks: "4" });

    for (const { surveyId } of surveys) {
      expect(stdout).toMatch(
        new RegExp(`^survey ${surveyId}: .* another survey .*\\(ANSWER_MISMATCH\\); tried again`, "m"),
      );
    }
    // One call for each survey at least, of three requests.
    expect(inVain).toBeGreaterThanOrEqual(2 * 3);
    expect(compareWithTruth(events, simulator.truth())).toEqual([]);
  });
});

describe("an error in place of metrics, with status 200", () => {
  test("for good is given up after its patience, and the event goes out without metrics", async () => {
    const service = await polledService({ surveys: [{ surveyId: 1, responses: 20 }] });
    const { simulator } = service;
    const [spoilt = 0] = simulator.complete(1, 1, {
      metrics: { body: { success: false, error: { code: 101, type: "invalid_access_key" } } },
    });
    const config = configured(service, { advanced: { enrichmentPatience: "2s" } });

    const { events } = await service.poll({ ...flags, config, ticks: "12", interval: "300ms" });

    const others = simulator.truth().filter(({ responseId }) => responseId !== spoilt);
    expect(compareWithTruth(events.slice(0, -1), others)).toEqual([]);
    const [first, last] = [events[0], events.at(-1)];
    expect(last?.detail).toMatchObject({
      meta: { complete: false, missing: ["metrics:gave-up"] },
      data: { responseId: spoilt, metrics: [], metadata: { responseId: spoilt } },
    });
    const waited = Date.parse(last?.detail.meta.detectedAt ?? "") - Date.parse(first?.detail.meta.detectedAt ?? "");
    expect(waited).toBeGreaterThanOrEqual(1_900);
    expect(asked(simulator, `/${spoilt}/metrics/`)).toBeGreaterThanOrEqual(3);
  });
});

// Ten responses of a page are asked about together: this one is alone among them.
test("a response whose metadata never comes keeps no other waiting", async () => {
  const service = await polledService({
    surveys: [{ surveyId: 1, responses: 60 }],
    settings: { recordsPerResponse: 9 },
  });
  const { simulator, folder } = service;
  const hanging = simulator.truth(1)[10]?.responseId ?? 0;
  simulator.edit(1, hanging, { metadata: { hang: true } });
  const config = configured(service, { advanced: { timeouts: { response: "5s" } } });
  const reads = (): number => asked(simulator, `/${hanging}/metadata/`);
  const events = (): DeliveredEvent[] => readEvents(join(folder, "events.jsonl"));
  const soon = { timeout: 30_000, interval: 20 };

  const first = service.start({ ...flags, config });
  await vi.waitFor(() => expect(events()).toHaveLength(59), soon);
  // The one time that a tick asks for it is not over by then.
  expect(reads()).toBe(1);
  expect(first.output().stdout).not.toMatch(/^done:/m);
  const { code, stderr, ...result } = await first.done;
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(reads()).toBe(1);
  const others = simulator.truth().filter(({ responseId }) => responseId !== hanging);
  expect(compareWithTruth(result.events, others)).toEqual([]);

  const [news = 0] = simulator.complete(1);
  const second = service.start({ ...flags, config }, { env: scripted({ ahead: MINUTE }) });
  await vi.waitFor(() => expect(events()).toHaveLength(60), soon);
  expect(events().at(-1)?.detail.data.responseId).toBe(news);
  await vi.waitFor(() => expect(reads()).toBe(2), soon);
  expect(second.output().stdout).not.toMatch(/^done:/m);
  second.kill("SIGKILL");
  await second.done;
});

test("what cannot be read is quarantined and said so; everything beside it goes out", async () => {
  const service = await polledService({ surveys: [{ surveyId: 1, responses: 30 }] });
  const { simulator } = service;
  const unreadable = ["maybe", null, 2].flatMap((completed) => simulator.complete(1, 1, { patch: { completed } }));
  const nameless = simulator.complete(1, 1, { records: 2, patch: { responseId: "none" } });
  simulator.complete(1, 30);
  const bad = new Set([...unreadable, ...nameless]);
  const truth = simulator.truth().filter(({ responseId }) => !bad.has(responseId));

  const { events, stdout } = await service.poll({ "start-from": "beginning" });

  expect(compareWithTruth(events, truth)).toEqual([]);
  for (const id of unreadable) {
    expect(stdout).toContain(`survey 1: response ${id} is quarantined: unreadable completed\n`);
  }
  expect(stdout.match(/^survey 1: a record is quarantined: unreadable responseId$/gm)).toHaveLength(2);
  expect(stdout).toMatch(/^done: .* 60 events, .* 5 withheld$/m);
  expect(stdout).toMatch(/books: closed at .*\(63 listed = 60 emitted .* \+ 3 quarantined\b/m);

  const before = readFileSync(`${service.folder}/events.jsonl`);
  const again = await service.poll({ "start-from": "beginning" });
  expect(readFileSync(`${service.folder}/events.jsonl`)).toEqual(before);
  expect(again.stdout).toMatch(/^done: .* 0 events,/m);
});
