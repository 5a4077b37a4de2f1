import type { Operation, SurveyApi } from "../../../../lib/survey-api/index.ts";
import metadata from "../schemas/fixtures/metadata.json" with { type: "json" };
import questions from "../schemas/fixtures/questions.json" with { type: "json" };
import records from "../schemas/fixtures/records.json" with { type: "json" };
import reportMetrics from "../schemas/fixtures/report-metrics.json" with { type: "json" };
import responseMetrics from "../schemas/fixtures/response-metrics.json" with { type: "json" };
import survey from "../schemas/fixtures/survey.json" with { type: "json" };
import surveyList from "../schemas/fixtures/survey-list.json" with { type: "json" };

/** One way to call an operation, what it requests, and what it gives for a documented body. */
interface OperationCase {
  /** As in section 4.1, with "v2" for the rows of 4.2. */
  number: number | "v2";
  operation: Operation;
  /** How it is written. */
  name: string;
  call: (api: SurveyApi) => Promise<unknown>;
  path: string;
  body: unknown;
  value: unknown;
}

const asV2 = (raw: unknown, value: unknown = raw) => ({ value, raw });
const single = { responseId: 44001, records };
const reports = [{ reportId: 71, name: "All of it" }, { name: "of no number" }];

/** Every data operation of section 4, in every way that it can be called. */
export const operationCases: OperationCase[] = [
  {
    number: 2,
    operation: "get survey list",
    name: "surveys()",
    call: (api) => api.surveys(),
    path: "/api/v3/surveys/",
    body: surveyList,
    value: surveyList,
  },
  {
    number: 3,
    operation: "get survey",
    name: "survey(surveyId)",
    call: (api) => api.survey(1201),
    path: "/api/v3/surveys/1201/",
    body: survey,
    value: survey[0],
  },
  {
    number: 4,
    operation: "get survey questions",
    name: "questions(surveyId)",
    call: (api) => api.questions(1201),
    path: "/api/v3/surveys/1201/questions/",
    body: questions,
    value: questions,
  },
  {
    number: 5,
    operation: "get reports list",
    name: "reports(surveyId)",
    call: (api) => api.reports(1201),
    path: "/api/v3/surveys/1201/reports/",
    body: reports,
    value: [
      { reportId: 71, raw: reports[0] },
      { reportId: undefined, raw: reports[1] },
    ],
  },
  {
    number: 6,
    operation: "get survey responses",
    name: "records(surveyId)",
    call: (api) => api.records(1201),
    path: "/api/v3/surveys/1201/responses/",
    body: records,
    value: records,
  },
  {
    number: 7,
    operation: "get survey responses, page",
    name: "records(surveyId, { page })",
    call: (api) => api.records(1201, { page: 2 }),
    path: "/api/v3/surveys/1201/responses/page/2/",
    body: records,
    value: records,
  },
  {
    number: 8,
    operation: "get survey responses, page and order",
    name: "records(surveyId, { page, order })",
    call: (api) => api.records(1201, { page: 3, order: "asc" }),
    path: "/api/v3/surveys/1201/responses/page/3/order/asc/",
    body: records,
    value: records,
  },
  {
    number: 8,
    operation: "get survey responses, page and order",
    name: "records(surveyId, { order })",
    call: (api) => api.records(1201, { order: "desc" }),
    path: "/api/v3/surveys/1201/responses/page/1/order/desc/",
    body: records,
    value: records,
  },
  {
    number: 9,
    operation: "get survey response by id",
    name: "response(surveyId, responseId)",
    call: (api) => api.response(1201, 44001),
    path: "/api/v3/surveys/1201/responses/44001/",
    body: records,
    value: { ...single, raw: records },
  },
  {
    number: 10,
    operation: "get survey response by crk",
    name: "responseByCrk(surveyId, crk)",
    call: (api) => api.responseByCrk(1201, "visit-77"),
    path: "/api/v3/surveys/1201/responses/crk/visit-77/",
    body: records,
    value: { ...single, raw: records },
  },
  {
    number: 11,
    operation: "get metric, single response",
    name: "metrics(surveyId, responseId)",
    call: (api) => api.metrics(1201, 44001),
    path: "/api/v3/surveys/1201/responses/44001/metrics/",
    body: responseMetrics,
    value: responseMetrics[0],
  },
  {
    number: 12,
    operation: "get metric, report",
    name: "reportMetrics(surveyId, reportId)",
    call: (api) => api.reportMetrics(1201, 71),
    path: "/api/v3/surveys/1201/reports/71/metrics/",
    body: reportMetrics,
    value: reportMetrics[0],
  },
  {
    number: 13,
    operation: "get response metadata",
    name: "metadata(surveyId, responseId)",
    call: (api) => api.metadata(1201, 44001),
    path: "/api/v3/surveys/1201/responses/44001/metadata/",
    body: metadata,
    value: metadata,
  },
  {
    number: "v2",
    operation: "v2 survey list",
    name: "v2.surveys()",
    call: (api) => api.v2.surveys(),
    path: "/api/v2/surveys/",
    body: surveyList,
    value: asV2(surveyList),
  },
  {
    number: "v2",
    operation: "v2 survey",
    name: "v2.survey(surveyId)",
    call: (api) => api.v2.survey(1201),
    path: "/api/v2/surveys/1201/",
    body: survey,
    value: asV2(survey, survey[0]),
  },
  {
    number: "v2",
    operation: "v2 questions",
    name: "v2.questions(surveyId)",
    call: (api) => api.v2.questions(1201),
    path: "/api/v2/surveys/1201/questions/",
    body: questions,
    value: asV2(questions),
  },
  {
    number: "v2",
    operation: "v2 responses",
    name: "v2.records(surveyId)",
    call: (api) => api.v2.records(1201),
    path: "/api/v2/surveys/1201/responses",
    body: records,
    value: asV2(records),
  },
  {
    number: "v2",
    operation: "v2 responses, page",
    name: "v2.records(surveyId, { page })",
    call: (api) => api.v2.records(1201, { page: 2 }),
    path: "/api/v2/surveys/1201/page/2/responses",
    body: { odd: true },
    value: { value: undefined, raw: { odd: true } },
  },
  {
    number: "v2",
    operation: "v2 response by id",
    name: "v2.response(surveyId, responseId)",
    call: (api) => api.v2.response(1201, 44001),
    path: "/api/v2/surveys/1201/responses/44001",
    body: records,
    value: asV2(records, single),
  },
  {
    number: "v2",
    operation: "v2 response by crk",
    name: "v2.responseByCrk(surveyId, crk)",
    call: (api) => api.v2.responseByCrk(1201, "visit-77"),
    path: "/api/v2/surveys/1201/crk/visit-77",
    body: records,
    value: asV2(records, single),
  },
  {
    number: "v2",
    operation: "v2 response metadata",
    name: "v2.metadata(surveyId, responseId)",
    call: (api) => api.v2.metadata(1201, 44001),
    path: "/api/v2/surveys/1201/responses/44001/metadata/",
    body: metadata,
    value: asV2(metadata),
  },
];
