import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Settings, SettingsPatch, Simulator } from "../../local/simulator/index.ts";
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

  test.each([
    ["stands before ours in a list: ours is taken", "several"],
    ["cannot be told from ours, as none says whose it is: it is taken as it is", "anonymous"],
  ] as const)("%s", async (_what, metadataList) => {
    const service = await polledService({ surveys: [{ surveyId: 1, responses: 30 }], settings: { metadataList } });
    const { simulator } = service;
    const { events } = await service.poll(flags);
    expect(compareWithTruth(events, simulator.truth())).toEqual([]);
    // One answer for each is enough.
    expect(simulator.counters().metadata).toBe(30);
  });
});

describe("pages of another survey", () => {
  test("make no event under a wrong survey, and each response of both goes out once", async () => {
    const surveys = [
      { surveyId: 1, responses: 90 },
      { surveyId: 2, responses: 60 },
    ];
    const service = await polledService({ surveys, settings: { pageMixups: 1 } });
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
    // One call for each survey, of three requests; a slice of each may have begun by then.
    expect(inVain).toBeGreaterThanOrEqual(2 * 3);
    expect(inVain).toBeLessThanOrEqual(2 * 2 * 3);
    expect(compareWithTruth(events, simulator.truth())).toEqual([]);
  });

  test("cannot be told where records do not say their survey: they are taken as they are", async () => {
    const service = await polledService({
      surveys: [
        { surveyId: 1, responses: 40 },
        { surveyId: 2, responses: 20 },
      ],
      settings: { recordSurveyId: "missing" },
    });
    const { events } = await service.poll(flags);
    expect(events).toHaveLength(60);
    expect(compareWithTruth(events, service.simulator.truth())).toEqual([]);
  });
});

describe("an error in place of metrics, with status 200", () => {
  test("for a while is no metric: all wait for it to end, and go out complete", async () => {
    const service = await polledService({
      surveys: [{ surveyId: 1, responses: 40 }],
      settings: { metrics: "errorBody" },
    });
    const { simulator } = service;
    expect((await service.poll({ ...flags, ticks: "3" })).events).toEqual([]);
    simulator.set({ metrics: "present" });
    const { events } = await later(service, 2);
    expect(compareWithTruth(events, simulator.truth())).toEqual([]);
  });

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

test("204 for all metrics and metadata: events go out without them once that has lasted, marked so", async () => {
  const service = await polledService({
    surveys: [{ surveyId: 1, responses: 15 }],
    settings: { metrics: "noContent", metadata: "noContent" },
  });
  const { simulator } = service;
  expect((await service.poll(flags)).events).toEqual([]);
  const { events } = await later(service, 2);
  for (const { detail } of events) {
    expect(detail.meta).toMatchObject({ complete: false, missing: ["metadata:absent", "metrics:absent"] });
  }
  expect(compareWithTruth(events, simulator.truth())).toEqual([]);
});

describe("204 for a page", () => {
  test.each([
    ["of a survey with nothing in it is an empty list", { emptyList: "204" }],
    ["behind the last one is the end of the list", { pastEnd: "204" }],
  ] as const)("%s: everything goes out and all books are closed", async (_what, settings) => {
    const service = await polledService({
      // Two full pages, so that the one behind them is asked for.
      surveys: [{ surveyId: 1, responses: 40 }, { surveyId: 2 }],
      settings: { ...settings, recordsPerResponse: 5 },
    });
    const { simulator } = service;
    // Its share of a minute is time enough for one tick to do all of it by itself.
    const { events, stdout } = await service.poll({ ...flags, interval: "1m" });
    expect(simulator.counters()["status:204"]).toBeGreaterThan(0);
    expect(compareWithTruth(events, simulator.truth())).toEqual([]);
    expect(stdout).toMatch(/^survey 1: 40 emitted; books: closed at .*\(40 listed = /m);
    expect(stdout).toMatch(/^survey 2: 0 emitted; books: closed at .*\(0 listed = /m);
  });
});

/** One run with a tick for each of the settings, which begin with its survey list: each tick does all that is new by itself. */
async function expectEachTickGood(
  each: readonly SettingsPatch[],
  begin: (simulator: Simulator) => void = () => undefined,
): Promise<Simulator> {
  const service = await polledService({ surveys: [{ surveyId: 1, responses: 25 }], settings: each[0] ?? {} });
  const { simulator } = service;
  let lists = 0;
  beforeEachList(simulator, (nth) => {
    lists = nth;
    const settings = each[nth - 1];
    if (nth === 1 || settings === undefined) return;
    simulator.set(settings);
    simulator.complete(1, 10);
    begin(simulator);
  });
  let { events, stdout: said } = await service.poll({ ...flags, ticks: String(each.length) });
  // On a busy machine a tick may begin while the one before is at work, and leave at once.
  for (let more = 1; lists < each.length && more < 5; more += 1) {
    const next = await service.poll({ ...flags, ticks: String(each.length - lists) });
    events = next.events;
    said += next.stdout;
  }
  // A list that had to be given twice would have been one more than there were ticks.
  const ticks = [...said.matchAll(/^done: (\d+) ticks/gm)].reduce((sum, [, count]) => sum + Number(count), 0);
  expect(lists).toBeGreaterThanOrEqual(each.length);
  expect(lists).toBeLessThanOrEqual(ticks);
  expect(said).not.toContain("tried again at the next tick");
  expect(events).toHaveLength(25 + 10 * (each.length - 1));
  expect(compareWithTruth(events, simulator.truth())).toEqual([]);
  return simulator;
}

test("a token in an object of its own, under `response`, with its scheme or in a form is found at once", async () => {
  const bodies: Settings["tokenBody"][] = ["nested", "response", "scheme", "form"];
  const simulator = await expectEachTickGood(
    bodies.map((tokenBody) => ({ tokenBody })),
    (service) => service.expireToken(),
  );
  expect(simulator.counters().token).toBe(bodies.length);
});

test("byte order marks and blank lines before a body are passed over", async () => {
  const prefixes: Settings["bodyPrefix"][] = ["bom", "twoBoms", "lineThenBom"];
  const simulator = await expectEachTickGood(prefixes.map((bodyPrefix) => ({ bodyPrefix })));
  // Nothing had to be asked for twice.
  expect(simulator.counters().metrics).toBe(45);
});

describe("the header Content-Encoding is not believed:", () => {
  test("a plain body is read whatever it says", async () => {
    const encodings = ["UTF-8", "none", "gzip", "br"];
    const simulator = await expectEachTickGood(encodings.map((contentEncoding) => ({ contentEncoding })));
    expect(simulator.counters().metrics).toBe(25 + 10 * 3);
  });

  test("a compressed body is read with the right one, none and a wrong one", async () => {
    const codings: Settings["compress"][] = ["br", "deflate", "zstd", "gzip"];
    const simulator = await expectEachTickGood([
      ...codings.map((compress) => ({ compress, contentEncoding: null })),
      ...codings.map((compress) => ({ compress, contentEncoding: "UTF-8" })),
      ...codings.map((compress) => ({ compress, contentEncoding: compress === "gzip" ? "br" : "gzip" })),
    ]);
    expect(simulator.counters().metrics).toBe(25 + 10 * 11);
  });
});

test("metrics in a list all go out, with their positions for keys, and the event says that they came so", async () => {
  const service = await polledService({
    surveys: [1, 2, 3, 4].map((surveyId) => ({ surveyId, responses: 10 })),
    settings: { metricContainer: "list" },
  });
  const { events } = await service.poll(flags);
  expect(compareWithTruth(events, service.simulator.truth())).toEqual([]);
  for (const { detail } of events) expect(detail.meta.irregular).toEqual(["metrics"]);
  const keys = new Set(events.map(({ detail }) => detail.data.metrics.map(({ key }) => key).join()));
  expect([...keys].sort()).toEqual(["0", "0,1", "0,1,2"]);
});

// Ten responses of a page are asked about together: with nine records each the 11th is alone among them, and the last one with others.
test.each([
  ["the 26th of 60", 25, 5],
  ["the 11th", 10, 9],
  ["the last one", 59, 9],
])("a response (%s) whose metadata never comes keeps no other waiting", async (_name, place, recordsPerResponse) => {
  const service = await polledService({
    surveys: [{ surveyId: 1, responses: 60 }],
    settings: { recordsPerResponse },
  });
  const { simulator, folder } = service;
  const hanging = simulator.truth(1)[place]?.responseId ?? 0;
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

test("tokens that are good for 100 requests each, one at a time, are enough for a long backlog", async () => {
  const service = await polledService({
    surveys: [{ surveyId: 1, responses: 400 }],
    settings: { tokenRequests: 100, newTokenRevokesOlder: true },
  });
  const { simulator } = service;
  const { events } = await service.poll(flags);
  expect(events).toHaveLength(400);
  expect(compareWithTruth(events, simulator.truth())).toEqual([]);
  const { requests = 0, token = 0 } = simulator.counters();
  // A few more, as what is refused is asked again.
  expect(token).toBeLessThanOrEqual(Math.ceil(requests / 100) + 3);
});

test("429 for everything and for seconds, each asking for a hundredth of a second, is not hammered at", async () => {
  const service = await polledService({ surveys: [{ surveyId: 1, responses: 100 }] });
  const { simulator } = service;
  // What is granted at once is granted, and from then on nothing.
  simulator.set({ rateLimit: { perSecond: 0.001, burst: 100, retryAfter: 0.01 } });
  let timer: NodeJS.Timeout | undefined;
  onTestFinished(() => clearTimeout(timer));
  simulator.onPageRead(() => {
    timer ??= setTimeout(() => simulator.set({ rateLimit: null }), 6_000);
  });
  const { events } = await service.poll(flags);
  expect(compareWithTruth(events, simulator.truth())).toEqual([]);
  const { "status:429": refused = 0 } = simulator.counters();
  // What was in flight, and then one at a time at growing distances.
  expect(refused).toBeGreaterThan(2);
  expect(refused).toBeLessThan(40);
});
