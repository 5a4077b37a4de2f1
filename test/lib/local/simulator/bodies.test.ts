import { expect, onTestFinished, test } from "vitest";
import { createSurveyApi, type SurveyApi } from "../../../../lib/survey-api/index.ts";
import { at, type Client, simulate } from "./support.ts";

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

test("2.5 metadata agrees with the records, and 2.7 a report with the count", async () => {
  const client = await simulate({ surveys });
  const { responseId, iso3166 } = at(await client.page(7, 1), 0);
  expect(await client.json(`/api/v3/surveys/7/responses/${responseId}/metadata/`)).toMatchObject([
    { responseId, iso3166 },
  ]);
  const [report = {}] = await client.json("/api/v3/surveys/7/reports/72/metrics/");
  expect(at(Object.values(report), 0)).toMatchObject({ responseSum: "80" });
});
