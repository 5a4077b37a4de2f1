import { describe, expect, it } from "vitest";
import * as bodies from "../../../../lib/survey-api/bodies/index.ts";
import type { SettingsPatch } from "../../../../local/simulator/index.ts";
import { type Client, simulate } from "../../../local/simulator/support.ts";

const surveys = [{ surveyId: 7, responses: 40, open: 2 }];
const start = (settings: SettingsPatch = {}): Promise<Client> => simulate({ surveys, settings });

/** The value of a body that has to be wholly as documented. */
function strictly<T>(reader: bodies.BodyReader<T>, body: unknown): T {
  const reading = reader(body);
  if ("unreadable" in reading) throw new Error(JSON.stringify(reading.unreadable));
  expect(reading.irregular).toEqual([]);
  return reading.value;
}

const about = { operation: "get survey response by id", status: 200, attempts: 1 } as const;
const single = (body: unknown, responseId: number | undefined) =>
  bodies.readSingleResponse(body, responseId === undefined ? {} : { responseId }, about);

const readV2 = <T>(raw: unknown, reader: bodies.BodyReader<T>) =>
  bodies.readV2(raw, bodies.documented(reader, true), about);

describe("the bodies of the simulated service", () => {
  it("are as documented for every operation", async () => {
    const client = await start();
    const get = (path: string) => client.json<unknown>(`/api/v3/surveys/${path}`);
    const records = strictly(bodies.recordsBody, await get("7/responses/"));
    expect(records).toHaveLength(100);
    const id = records[0]?.responseId;

    expect(strictly(bodies.surveyListBody, await get(""))).toMatchObject([{ surveyId: 7 }]);
    expect(Object.keys(strictly(bodies.surveyBody, await get("7/")).questionsById).length).toBeGreaterThan(0);
    expect(strictly(bodies.questionsBody, await get("7/questions/")).length).toBeGreaterThan(0);
    expect(strictly(bodies.recordsBody, await get("7/responses/page/2/order/desc/")).length).toBeGreaterThan(0);
    expect(Object.keys(strictly(bodies.metricsBody, await get(`7/responses/${id}/metrics/`))).length).toBeGreaterThan(
      0,
    );
    expect(Object.keys(strictly(bodies.reportMetricsBody, await get("7/reports/71/metrics/"))).length).toBeGreaterThan(
      0,
    );
    expect(strictly(bodies.metadataBody, await get(`7/responses/${id}/metadata/`))).toMatchObject([{ responseId: id }]);
  });

  it.each(["records", "arrayWithAnswers", "objectWithAnswers", "wrapped", "answersByQuestion"] as const)(
    "hold one response when they have the shape %s",
    async (singleResponseBody) => {
      const client = await start({ singleResponseBody, crk: "all" });
      const [truth] = client.simulator.truth();
      const byId = await client.json<unknown>(`/api/v3/surveys/7/responses/${truth?.responseId}/`);
      const expected = { responseId: truth?.responseId, records: truth?.records };
      expect(single(byId, truth?.responseId)).toEqual(expected);
      const byCrk = await client.json<unknown>(`/api/v3/surveys/7/responses/crk/${truth?.records[0]?.crk}/`);
      expect(single(byCrk, undefined)).toEqual(expected);
    },
  );

  it.each(["array", "wrapped"] as const)("list reports when they have the shape %s", async (reportsBody) => {
    const client = await start({ reportsBody });
    const reports = bodies.readReports(await client.json("/api/v3/surveys/7/reports/"));
    expect(reports).toMatchObject([
      { reportId: 71, raw: { name: "Report 1" } },
      { reportId: 72, raw: { name: "Report 2" } },
    ]);
  });

  it.each(["empty", "emptyObject"] as const)("hold no metrics when these are %s", async (metrics) => {
    const client = await start({ metrics, metadata: "empty" });
    const path = `/api/v3/surveys/7/responses/${client.simulator.truth()[0]?.responseId}`;
    expect(strictly(bodies.metricsBody, await client.json(`${path}/metrics/`))).toEqual({});
    expect(strictly(bodies.metadataBody, await client.json(`${path}/metadata/`))).toEqual([]);
  });

  it.each(["same", "wrapped"] as const)("are read in v2 when they are %s", async (v2Body) => {
    const client = await start({ v2Body });
    const get = (path: string) => client.json<unknown>(`/api/v2/surveys/${path}`);
    const records = readV2(await get("7/responses"), bodies.recordsBody).value;
    expect(records).toHaveLength(100);
    const id = records?.[0]?.responseId;
    const list = readV2(await get(""), bodies.surveyListBody);
    expect(list.value).toMatchObject([{ surveyId: 7 }]);
    const survey = readV2(await get("7/"), bodies.surveyBody);
    expect(survey.value).toMatchObject({ surveyId: 7 });
    const questions = readV2(await get("7/questions/"), bodies.questionsBody);
    expect(questions.value?.length).toBeGreaterThan(0);
    const metadata = readV2(await get(`7/responses/${id}/metadata/`), bodies.metadataBody);
    expect(metadata.value).toMatchObject([{ responseId: id }]);
    expect(single(await get(`7/responses/${id}`), id)).toMatchObject({ responseId: id });
  });

  it.each(["json", "text", "html", "empty"] as const)("of errors are outlined when they are %s", async (errorBody) => {
    const client = await start({ errorBody });
    const text = await (await client.get("/api/v3/surveys/999/")).text();
    const expected = {
      json: "{ status: number, message: string(",
      text: "text, ",
      html: "HTML, ",
      empty: "empty",
    }[errorBody];
    const shown = errorBody === "json" ? bodies.outline(JSON.parse(text)) : bodies.outlineText(text);
    expect(shown.startsWith(expected)).toBe(true);
  });

  it("that are irregular by a setting are told, or unreadable", async () => {
    for (const [kind, path] of [
      ["commentNull", "comment"],
      ["answerText", "answer"],
      ["dateNumber", "dateCompleted"],
      ["idString", "responseId"],
    ] as const) {
      const client = await start({ irregular: { probability: 1, kinds: [kind] } });
      const reading = bodies.recordsBody(await client.page(7, 1));
      expect("irregular" in reading && reading.irregular[0]?.path, kind).toBe(`[0].${path}`);
    }
    const client = await start({ irregular: { probability: 1, kinds: ["completedMaybe"] } });
    const reading = bodies.recordsBody(await client.page(7, 1));
    expect("unreadable" in reading && reading.unreadable[0]?.path).toBe("[0].completed");
  });
});
