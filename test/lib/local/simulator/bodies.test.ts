import { expect, onTestFinished, test } from "vitest";
import { createSurveyApi } from "../../../../lib/survey-api/index.ts";
import { at, simulate } from "./support.ts";

test("every body is as the document shows it, and they agree with each other", async () => {
  const { simulator, json } = await simulate({ surveys: [{ surveyId: 7, responses: 80, open: 2, name: "Seven" }] });
  const [responseId = 0] = simulator.complete(7, 1, { crk: "my key" });
  const { url: baseUrl, clientId, clientSecret } = simulator;
  // It refuses whatever is not as the document shows it.
  const api = createSurveyApi({ baseUrl, credentials: { clientId, clientSecret }, strict: true });
  onTestFinished(() => api.close());
  expect(await api.surveys()).toMatchObject([
    { surveyId: 7, name: "Seven", responses: 81, correct: 81, unpaidResponses: 0 },
  ]);
  const read = await api.records(7);
  const metadata = await api.metadata(7, responseId);
  const answers: unknown[] = [
    ...[await api.survey(7), await api.questions(7), await api.reports(7), read],
    ...[await api.response(7, responseId), await api.responseByCrk(7, "my key")],
    ...[await api.metrics(7, responseId), await api.reportMetrics(7, 72), metadata],
    ...[await api.v2.surveys(), await api.v2.survey(7), await api.v2.questions(7), await api.v2.records(7)],
    ...[await api.v2.response(7, responseId), await api.v2.responseByCrk(7, "my key")],
    await api.v2.metadata(7, responseId),
  ];
  for (const answer of answers) expect(Object.keys(answer as object)).not.toEqual([]);
  const questions = (await json("/api/v3/surveys/7/questions/")).map(({ questionId }) => questionId);
  for (const { questionId } of read) expect(questions).toContain(questionId);
  expect(new Set(read.map(({ score }) => score === null))).toEqual(new Set([true, false]));
  expect(metadata).toMatchObject([{ iso3166: at(simulator.records(7, responseId), 0).iso3166 }]);
  const [report = {}] = await json("/api/v3/surveys/7/reports/72/metrics/");
  expect(at(Object.values(report), 0)).toMatchObject({ responseSum: "81" });
});
