import { describe, expect, test } from "vitest";
import { type CountRule, type Settings, type SettingsPatch, startSimulator } from "../../../local/simulator/index.ts";
import { at, noon, type Row, requestToken, simulate } from "./support.ts";

const surveys = [{ surveyId: 7, responses: 20, open: 4 }];

describe("settings", () => {
  test.each([
    [{ zone: "Mars/Base" }, /time zone/],
    [{ recordsPerResponse: 0 }, /recordsPerResponse/],
    [{ recordsPerResponse: [9, 3] }, /recordsPerResponse/],
    [{ sortKey: "date" }, /sortKey must be one of/],
    [{ sorting: "date" }, /no setting sorting/],
  ])("%j is refused, and nothing changes", async (patch, message) => {
    await expect(startSimulator({ settings: patch as SettingsPatch })).rejects.toThrow(message);
    const { simulator } = await simulate();
    const before = simulator.settings();
    expect(() => simulator.set(patch as SettingsPatch)).toThrow(message);
    expect(simulator.settings()).toBe(before);
  });

  test("parts of counts and recordOrder leave the other parts", async () => {
    const { simulator } = await simulate({ settings: { counts: { correct: "started" } } });
    simulator.set({ recordOrder: { desc: "descending" } });
    expect(simulator.settings()).toMatchObject({
      counts: { responses: "completed", correct: "started" },
      recordOrder: { asc: "ascending", desc: "descending" },
    });
  });
});

describe("bodies the document does not show", () => {
  const jwt = /^[\w-]+\.[\w-]+\.[\w-]+$/;
  test.each<[Settings["tokenBody"], string, (text: string) => unknown]>([
    ["raw", "text/plain", (text) => text],
    ["jsonString", "application/json", (text) => JSON.parse(text)],
    ["token", "application/json", (text) => JSON.parse(text).token],
    ["access_token", "application/json", (text) => JSON.parse(text).access_token],
    ["accessToken", "application/json", (text) => JSON.parse(text).accessToken],
    ["array", "application/json", (text) => JSON.parse(text)[0].token],
  ])("token body %s", async (tokenBody, type, find) => {
    const { simulator } = await simulate({ settings: { tokenBody } });
    const answer = await requestToken(simulator, simulator.clientId, simulator.clientSecret);
    expect(answer.headers.get("content-type")).toContain(type);
    const token = find(await answer.text());
    expect(token).toMatch(jwt);
    const headers = { authorization: `bearer ${token}`, "content-type": "application/json" };
    expect((await fetch(`${simulator.url}/api/v3/surveys/`, { headers })).status).toBe(200);
  });

  test.each<[Settings["singleResponseBody"], (body: unknown) => [head: Row, answers: Row[]]]>([
    ["records", (body) => [at(body as Row[], 0), body as Row[]]],
    ["arrayWithAnswers", (body) => [at(body as Row[], 0), at(body as Row[], 0).answers as Row[]]],
    ["objectWithAnswers", (body) => [body as Row, (body as Row).answers as Row[]]],
    ["wrapped", (body) => [(body as Row).response as Row, (body as Row).answers as Row[]]],
    [
      "answersByQuestion",
      (body) => [at(body as Row[], 0), Object.values(at(body as Row[], 0).answers as Row) as Row[]],
    ],
  ])("single response %s", async (singleResponseBody, read) => {
    const client = await simulate({ surveys, settings: { singleResponseBody } });
    const { responseId, records } = at(client.simulator.truth(), 2);
    const [head, answers] = read(await client.json(`/api/v3/surveys/7/responses/${responseId}/`));
    expect(head).toMatchObject({ responseId, completed: 1, dateStart: at(records, 0).dateStart });
    expect(answers.map((answer) => [answer.questionId, answer.answer])).toEqual(
      records.map((record) => [record.questionId, record.answer]),
    );
  });

  test("v2 bodies and reports may be wrapped", async () => {
    const client = await simulate({ surveys });
    const plain = [await client.json("/api/v2/surveys/7/responses"), await client.json("/api/v3/surveys/7/reports/")];
    client.simulator.set({ v2Body: "wrapped", reportsBody: "wrapped" });
    expect(await client.json("/api/v2/surveys/7/responses")).toEqual({ data: plain[0] });
    expect(await client.json("/api/v3/surveys/7/reports/")).toEqual({ reports: plain[1] });
    expect(await client.page(7, 1)).toEqual(plain[0]);
  });

  test.each<[Settings["errorBody"], RegExp]>([
    ["json", /^\{.*"status":404.*\}$/],
    ["text", /^Not found$/],
    ["empty", /^$/],
    ["html", /^<html>/],
  ])("error body %s", async (errorBody, shape) => {
    const client = await simulate({ settings: { errorBody } });
    const answer = await client.get("/api/v3/surveys/5/");
    expect(answer.status).toBe(404);
    expect(await answer.text()).toMatch(shape);
  });
});

describe("metrics and metadata", () => {
  test.each<[SettingsPatch, unknown, unknown]>([
    [{ metrics: "absent", metadata: "absent" }, 404, 404],
    [{ metrics: "empty", metadata: "empty" }, [], []],
    [{ metrics: "emptyObject" }, [{}], [expect.objectContaining({ os: expect.any(String) })]],
  ])("%j", async (settings, metrics, metadata) => {
    const client = await simulate({ surveys, settings });
    const { responseId } = at(client.simulator.truth(), 0);
    const read = async (what: string) => {
      const answer = await client.get(`/api/v3/surveys/7/responses/${responseId}/${what}/`);
      return answer.status === 200 ? answer.json() : answer.status;
    };
    expect([await read("metrics"), await read("metadata")]).toEqual([metrics, metadata]);
    const truth = client.simulator.truthOf(7, responseId);
    expect(truth).toMatchObject({
      metrics: metrics === 404 ? null : metrics,
      metadata: metadata === 404 ? null : metadata,
    });
  });

  test("some surveys have metrics, and one may say so itself", async () => {
    const many = Array.from({ length: 20 }, (_, index) => ({ surveyId: index + 1, responses: 1 }));
    const { simulator } = await simulate({
      surveys: [...many, { surveyId: 50, responses: 1, metrics: "absent", metadata: "empty" }],
      settings: { metrics: "perSurvey" },
    });
    const have = simulator.truth().filter((truth) => truth.metrics !== null).length;
    expect(have).toBeGreaterThan(3);
    expect(have).toBeLessThan(18);
    simulator.set({ metrics: "present" });
    expect(simulator.truth(50)).toMatchObject([{ metrics: null, metadata: [] }]);
  });

  test("the key of a metric is its id or its position", async () => {
    const { simulator } = await simulate({ surveys });
    const keys = () => Object.keys(at(at(simulator.truth(7), 0).metrics as Row[], 0));
    expect(keys()[0]).toBe("71");
    simulator.set({ metricKey: "position" });
    expect(keys()[0]).toBe("1");
  });
});

describe("counts", () => {
  async function counted(rule: CountRule) {
    let now = noon;
    const settings: SettingsPatch = { counts: { responses: rule, unpaidResponses: "completed" } };
    const client = await simulate({ surveys, settings: { ...settings, countLagMs: 60_000 }, now: () => now });
    const { simulator } = client;
    const item = async () => at(await client.json("/api/v3/surveys/"), 0);
    const seen = [(await item()).responses];
    simulator.complete(7, 3);
    simulator.start(7, 1);
    seen.push((await item()).responses);
    simulator.remove(7, at(simulator.truth(7), 0).responseId);
    seen.push((await item()).responses);
    now += 60_000;
    seen.push((await item()).responses);
    expect(await item()).toMatchObject({ correct: 22, unpaidResponses: 22 });
    return seen;
  }

  test.each<[CountRule, number[]]>([
    ["completed", [20, 23, 22, 22]],
    ["started", [24, 28, 27, 27]],
    ["everCompleted", [20, 23, 23, 23]],
    ["lagging", [20, 20, 20, 22]],
    ["frozen", [20, 20, 20, 20]],
    ["zero", [0, 0, 0, 0]],
    [({ completed, open }) => completed * 100 + open, [2004, 2305, 2205, 2205]],
  ])("%s", async (rule, expected) => {
    expect(await counted(rule)).toEqual(expected);
  });

  test("a count freezes at the moment it is set; a survey added later at its first", async () => {
    const client = await simulate({ surveys });
    client.simulator.complete(7, 5);
    client.simulator.set({ counts: { responses: "frozen" } });
    client.simulator.addSurvey({ surveyId: 8, responses: 2 });
    client.simulator.complete(7, 5);
    client.simulator.complete(8, 5);
    expect((await client.json("/api/v3/surveys/")).map((item) => item.responses)).toEqual([25, 2]);
  });

  test("a visit moves impressions alone", async () => {
    const client = await simulate({ surveys });
    const [before = {}] = await client.json("/api/v3/surveys/");
    client.simulator.visit(7, 4);
    const [after = {}] = await client.json("/api/v3/surveys/");
    expect(after).toEqual({ ...before, impressions: Number(before.impressions) + 4 });
  });
});

describe("tokens", () => {
  test("a token lives as long as set, and an expired one is a bad request", async () => {
    let now = noon;
    const client = await simulate({ settings: { tokenLifetimeMs: 1000 }, now: () => now });
    expect((await client.get("/api/v3/surveys/")).status).toBe(200);
    now += 999;
    expect((await client.get("/api/v3/surveys/")).status).toBe(200);
    now += 1;
    expect((await client.get("/api/v3/surveys/")).status).toBe(400);
  });

  test.each(["revokeToken", "expireToken"] as const)("%s ends every token, not the next one", async (end) => {
    const client = await simulate();
    const old = await client.token();
    client.simulator[end]();
    const fresh = await client.token();
    expect(await status(client.simulator.url, old)).toBe(400);
    expect(await status(client.simulator.url, fresh)).toBe(200);
  });

  test.each([
    [false, 200],
    [true, 400],
  ])("newTokenRevokesOlder %s", async (newTokenRevokesOlder, expected) => {
    const client = await simulate({ settings: { newTokenRevokesOlder } });
    const old = await client.token();
    await client.token();
    expect(await status(client.simulator.url, old)).toBe(expected);
  });
});

test("bodies are compressed for a client that accepts it", async () => {
  const client = await simulate({ surveys, settings: { compress: true } });
  const path = "/api/v3/surveys/7/responses/";
  const packed = await client.get(path, { "accept-encoding": "gzip" });
  expect(packed.headers.get("content-encoding")).toBe("gzip");
  const plain = await client.get(path, { "accept-encoding": "identity" });
  expect(plain.headers.get("content-encoding")).toBeNull();
  expect(await packed.json()).toEqual(await plain.json());
});

async function status(url: string, token: string): Promise<number> {
  const headers = { authorization: `bearer ${token}`, "content-type": "application/json" };
  return (await fetch(`${url}/api/v3/surveys/`, { headers })).status;
}
