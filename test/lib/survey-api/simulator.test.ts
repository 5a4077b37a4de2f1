import { describe, expect, it, onTestFinished } from "vitest";
import { createSurveyApi, type SurveyApi } from "../../../lib/survey-api/index.ts";
import { type SettingsPatch, type Simulator, startSimulator } from "../../../local/simulator/index.ts";
import { listen } from "./support/channels.ts";

const responses = 60;

async function start(settings: SettingsPatch = {}): Promise<{ simulator: Simulator; api: SurveyApi }> {
  const simulator = await startSimulator({
    surveys: [{ surveyId: 7, responses }, { surveyId: 8 }],
    settings: { recordsPerResponse: 3, crk: "all", ...settings },
    now: () => Date.UTC(2026, 2, 10, 12),
  });
  const { url: baseUrl, clientId, clientSecret } = simulator;
  // Strict: the bodies of the simulator are as documented, and so nothing but the documented may come.
  const api = createSurveyApi({ baseUrl, credentials: { clientId, clientSecret }, strict: true });
  onTestFinished(async () => {
    await api.close();
    await simulator.close();
  });
  return { simulator, api };
}

/** The body of a path by plain fetch, past the client. */
async function bodyOf(simulator: Simulator, api: SurveyApi, path: string): Promise<unknown> {
  const headers = { authorization: `bearer ${await api.token()}`, "content-type": "application/json" };
  return (await fetch(`${simulator.url}${path}`, { headers })).json();
}

describe("every function against the simulated service gives what is there", () => {
  it.each<SettingsPatch>([
    { tokenBody: "raw", singleResponseBody: "records", reportsBody: "array", v2Body: "same" },
    { tokenBody: "jsonString", singleResponseBody: "arrayWithAnswers", reportsBody: "wrapped", v2Body: "wrapped" },
    { tokenBody: "token", singleResponseBody: "objectWithAnswers", compress: true, metricKey: "position" },
    { tokenBody: "access_token", singleResponseBody: "wrapped", v2Body: "wrapped", defaultOrder: "desc" },
    { tokenBody: "accessToken", singleResponseBody: "answersByQuestion", reportsBody: "wrapped" },
    { tokenBody: "array", singleResponseBody: "wrapped", v2Body: "same", compress: true },
    { singleResponseBody: "arrayWithAnswers", v2Body: "same" },
    { singleResponseBody: "objectWithAnswers", v2Body: "wrapped" },
    { singleResponseBody: "answersByQuestion", v2Body: "wrapped" },
    { singleResponseBody: "records", v2Body: "wrapped" },
  ])("%j", async (settings) => {
    const told = listen();
    const { simulator, api } = await start(settings);
    const truth = simulator.truth(7);
    const asc = truth.flatMap(({ records }) => records);
    const desc = truth.toReversed().flatMap(({ records }) => records);
    const first = settings.defaultOrder === "desc" ? desc : asc;
    const v3 = (path: string) => bodyOf(simulator, api, `/api/v3/surveys/${path}`);
    expect(asc).toHaveLength(responses * 3);

    const surveys = await api.surveys();
    expect(surveys.map(({ surveyId }) => surveyId)).toEqual([7, 8]);
    expect(surveys).toEqual(await v3(""));
    const survey = await api.survey(7);
    expect([survey]).toEqual(await v3("7/"));
    const questions = await api.questions(7);
    expect(questions).toEqual(await v3("7/questions/"));
    expect(questions.map(({ questionId }) => String(questionId)).toSorted()).toEqual(
      Object.keys(survey.questionsById).toSorted(),
    );
    expect(await api.reports(7)).toMatchObject([
      { reportId: 71, raw: { reportId: 71, name: "Report 1" } },
      { reportId: 72, raw: { reportId: 72, name: "Report 2" } },
    ]);
    expect([await api.reportMetrics(7, 71)]).toEqual(await v3("7/reports/71/metrics/"));
    expect(await api.records(7)).toEqual(first.slice(0, 100));
    expect(await api.records(7, { page: 2 })).toEqual(first.slice(100));
    expect(await api.records(7, { order: "desc" })).toEqual(desc.slice(0, 100));
    expect(await api.records(7, { page: 2, order: "asc" })).toEqual(asc.slice(100));
    expect(await api.records(8)).toEqual([]);

    const [one] = truth;
    if (one === undefined) throw new Error("there is no response");
    const { responseId, records } = one;
    const crk = String(records[0]?.crk);
    const raw = await v3(`7/responses/${responseId}/`);
    expect(await api.response(7, responseId)).toEqual({ responseId, records, raw });
    expect(await api.responseByCrk(7, crk)).toEqual({ responseId, records, raw });
    expect([await api.metrics(7, responseId)]).toEqual(one.metrics);
    expect(await api.metadata(7, responseId)).toEqual(one.metadata);

    const inV2 = (body: unknown) => (settings.v2Body === "wrapped" ? { data: body } : body);
    const { v2 } = api;
    expect(await v2.surveys()).toEqual({ value: surveys, raw: inV2(surveys) });
    expect(await v2.survey(7)).toEqual({ value: survey, raw: inV2([survey]) });
    expect(await v2.questions(7)).toEqual({ value: questions, raw: inV2(questions) });
    expect(await v2.records(7)).toEqual({ value: first.slice(0, 100), raw: inV2(first.slice(0, 100)) });
    expect(await v2.records(7, { page: 2 })).toEqual({ value: first.slice(100), raw: inV2(first.slice(100)) });
    expect(await v2.response(7, responseId)).toEqual({ value: { responseId, records }, raw: inV2(raw) });
    expect(await v2.responseByCrk(7, crk)).toEqual({ value: { responseId, records }, raw: inV2(raw) });
    expect(await v2.metadata(7, responseId)).toEqual({ value: one.metadata, raw: inV2(one.metadata) });

    const pages: unknown[] = [];
    for await (const page of api.pages(7)) pages.push(page);
    expect(pages).toEqual([
      { page: 1, records: asc.slice(0, 100) },
      { page: 2, records: asc.slice(100) },
    ]);
    const joined: unknown[] = [];
    for await (const response of api.responses(7, { order: "desc" })) joined.push(response);
    expect(joined).toMatchObject(
      truth.toReversed().map((each) => ({ responseId: each.responseId, records: each.records })),
    );

    expect(simulator.counters()).toMatchObject({ token: 1 });
    expect(Object.keys(simulator.counters()).filter((name) => /^status:[^2]/.test(name))).toEqual([]);
    expect(told.irregular).toEqual([]);
  });
});

describe("what is not there", () => {
  it("is NOT_FOUND by every function that asks for one thing", async () => {
    const { api } = await start({ metrics: "absent", metadata: "absent" });
    const calls = [
      api.survey(9),
      api.questions(9),
      api.reports(9),
      api.records(9),
      api.records(9, { page: 1 }),
      api.records(9, { order: "asc" }),
      api.response(7, 999_999),
      api.responseByCrk(7, "nobody"),
      api.metrics(7, 1),
      api.reportMetrics(7, 99),
      api.metadata(7, 1),
      api.v2.survey(9),
      api.v2.questions(9),
      api.v2.records(9),
      api.v2.response(7, 999_999),
      api.v2.responseByCrk(7, "nobody"),
      api.v2.metadata(7, 1),
    ];
    for (const outcome of await Promise.allSettled<unknown>(calls)) {
      expect(outcome).toMatchObject({ reason: { code: "NOT_FOUND", status: 404, attempts: 1 } });
    }
  });

  it.each(["empty", "emptyObject"] as const)("is no metric and no metadata where these are %s", async (metrics) => {
    const { simulator, api } = await start({ metrics, metadata: "empty" });
    const responseId = simulator.truth(7)[0]?.responseId ?? 0;
    expect(await api.metrics(7, responseId)).toEqual({});
    expect(await api.metadata(7, responseId)).toEqual([]);
    expect(await api.v2.metadata(7, responseId)).toEqual({ value: [], raw: [] });
  });

  it.each(["empty", "404", "400", "repeatLast"] as const)(
    "past the end of a list, which is %s, ends it",
    async (pastEnd) => {
      const { simulator, api } = await start({ pastEnd });
      const read: unknown[] = [];
      for await (const { records } of api.pages(7, { order: "desc", from: 2 })) read.push(...records);
      const all = simulator
        .truth(7)
        .toReversed()
        .flatMap(({ records }) => records);
      expect(read).toEqual(all.slice(100));
    },
  );
});

it("another token is asked for, once, when the service refuses the one in use", async () => {
  const { simulator, api } = await start();
  await api.surveys();
  for (const refuse of [simulator.revokeToken, simulator.expireToken]) {
    const before = simulator.counters().token ?? 0;
    refuse();
    await Promise.all([api.surveys(), api.survey(7), api.records(7), api.v2.surveys()]);
    expect((simulator.counters().token ?? 0) - before).toBe(1);
  }
});
