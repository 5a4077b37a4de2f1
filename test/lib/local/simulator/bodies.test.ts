import { expect, onTestFinished, test } from "vitest";
import { createSurveyApi, type SurveyApi } from "../../../../lib/survey-api/index.ts";
import { at, type Client, type Row, simulate } from "./support.ts";

const surveys = [{ surveyId: 7, responses: 80, open: 2, name: "Seven" }];

/** A client that refuses whatever is not as the document shows it. */
function strictClient({ simulator: { url: baseUrl, clientId, clientSecret } }: Client): SurveyApi {
  const api = createSurveyApi({ baseUrl, credentials: { clientId, clientSecret }, strict: true });
  onTestFinished(() => api.close());
  return api;
}

test("every body is as the document shows it", async () => {
  const client = await simulate({ surveys, settings: { crk: "all" } });
  const api = strictClient(client);
  const { responseId, records } = at(client.simulator.truth(), 5);
  const crk = String(at(records, 0).crk);
  expect(await api.surveys()).toMatchObject([
    { surveyId: 7, name: "Seven", responses: 80, correct: 80, unpaidResponses: 0 },
  ]);
  const read = await api.records(7);
  const answers: unknown[] = [
    ...[await api.survey(7), await api.questions(7), await api.reports(7), read],
    ...[await api.response(7, responseId), await api.responseByCrk(7, crk)],
    ...[await api.metrics(7, responseId), await api.reportMetrics(7, 72), await api.metadata(7, responseId)],
    ...[await api.v2.surveys(), await api.v2.survey(7), await api.v2.questions(7), await api.v2.records(7)],
    ...[await api.v2.response(7, responseId), await api.v2.responseByCrk(7, crk), await api.v2.metadata(7, responseId)],
  ];
  for (const answer of answers) expect(Object.keys(answer as object)).not.toEqual([]);
  const questions = (await client.json("/api/v3/surveys/7/questions/")).map(({ questionId }) => questionId);
  for (const { questionId } of read) expect(questions).toContain(questionId);
  expect(new Set(read.map(({ score }) => score === null))).toEqual(new Set([true, false]));
});

test("2.2 full survey: blocks, pages and questions refer to each other", async () => {
  const client = await simulate({ surveys, settings: { recordsPerResponse: [1, 43] } });
  const survey = at(await client.json("/api/v3/surveys/7/"), 0);
  const {
    blocksById = {},
    pagesById = {},
    questionsById = {},
    blocksOrder = {},
  } = survey as Record<string, Record<string, Row>>;
  const order = Object.values(blocksOrder).map(String);
  expect(order).toEqual(Object.keys(blocksById));
  expect(Object.keys(blocksOrder)).toEqual(["1", "2", "3"]);
  const pageIds = order.flatMap((id) => Object.values(blocksById[id]?.pagesOrder as Row).map(String));
  expect(pageIds.sort()).toEqual(Object.keys(pagesById).sort());
  const questionIds = pageIds.flatMap((id) => pagesById[id]?.questionsOrder as number[]);
  expect(questionIds.map(String).sort()).toEqual(Object.keys(questionsById).sort());
  expect(questionIds).toHaveLength(43);
  for (const page of Object.values(pagesById))
    for (const id of page.questionsOrder as number[]) expect(questionsById[id]?.pageId).toBe(page.pageId);
});

test("2.3 questions: params as in the full survey, but for two differences, and the translatable texts", async () => {
  const client = await simulate({ surveys });
  const list = await client.json("/api/v3/surveys/7/questions/");
  const full = at(await client.json("/api/v3/surveys/7/"), 0).questionsById as Record<string, { params: Row }>;
  for (const question of list) {
    const { translatable, exclusionQuestion, ...shared } = question.questionParams as Row;
    const { exclusionQuestion: exclusion, ...params } = full[String(question.questionId)]?.params ?? {};
    expect(shared).toEqual(params);
    expect([exclusionQuestion, exclusion]).toEqual([0, false]);
    expect((translatable as Row).answers).toEqual(shared.answers);
  }
});

test("2.5 metadata agrees with the records, and 2.7 a report with the count", async () => {
  const client = await simulate({ surveys });
  const { responseId, iso3166 } = at(await client.page(7, 1), 0);
  expect(await client.json(`/api/v3/surveys/7/responses/${responseId}/metadata/`)).toMatchObject([
    { responseId, iso3166 },
  ]);
  const [report = {}] = await client.json("/api/v3/surveys/7/reports/72/metrics/");
  expect(at(Object.values(report), 0)).toMatchObject({ responseSum: "80" });
});

test("operations 9 and 10 are interchangeable", async () => {
  const client = await simulate({ surveys, settings: { crk: "all" } });
  const { responseId, records } = at(client.simulator.truth(), 5);
  const byId = await client.json(`/api/v3/surveys/7/responses/${responseId}/`);
  expect(byId).toEqual(records);
  expect(await client.json(`/api/v3/surveys/7/responses/crk/${at(records, 0).crk}/`)).toEqual(byId);
});
