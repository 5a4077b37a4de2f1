import type { Operation, SurveyApi } from "../../../../lib/survey-api/index.ts";
import metadata from "../documents/fixtures/metadata.json" with { type: "json" };
import questions from "../documents/fixtures/questions.json" with { type: "json" };
import records from "../documents/fixtures/records.json" with { type: "json" };
import reportMetrics from "../documents/fixtures/report-metrics.json" with { type: "json" };
import metrics from "../documents/fixtures/response-metrics.json" with { type: "json" };
import survey from "../documents/fixtures/survey.json" with { type: "json" };
import surveys from "../documents/fixtures/survey-list.json" with { type: "json" };

/** One way to call an operation, what it requests, and what it gives for a documented body: that itself unless it is said. */
type Row = [
  /** As in section 4.1, with "v2" for the rows of 4.2. */
  number: number | "v2",
  operation: Operation,
  call: (api: SurveyApi) => Promise<unknown>,
  path: string,
  body: unknown,
  value?: unknown,
];

const asV2 = (raw: unknown, value: unknown = raw) => ({ value, raw });
const single = { responseId: 44001, records };
const one = { ...single, raw: records };
const reports = [{ reportId: 71, name: "All of it" }, { name: "of no number" }];
const reportItems = [
  { reportId: 71, raw: reports[0] },
  { reportId: undefined, raw: reports[1] },
];
const odd = { odd: true };
const PAGE = "get survey responses, page and order";
const at = (path: string): string => `/api/v3/surveys/1201/${path}`;
const v2 = (path: string): string => `/api/v2/surveys/1201/${path}`;

const rows: Row[] = [
  [2, "get survey list", (api) => api.surveys(), "/api/v3/surveys/", surveys],
  [3, "get survey", (api) => api.survey(1201), at(""), survey, survey[0]],
  [4, "get survey questions", (api) => api.questions(1201), at("questions/"), questions],
  [5, "get reports list", (api) => api.reports(1201), at("reports/"), reports, reportItems],
  [6, "get survey responses", (api) => api.records(1201), at("responses/"), records],
  [7, "get survey responses, page", (api) => api.records(1201, { page: 2 }), at("responses/page/2/"), records],
  [8, PAGE, (api) => api.records(1201, { page: 3, order: "asc" }), at("responses/page/3/order/asc/"), records],
  [8, PAGE, (api) => api.records(1201, { order: "desc" }), at("responses/page/1/order/desc/"), records],
  [9, "get survey response by id", (api) => api.response(1201, 44001), at("responses/44001/"), records, one],
  [10, "get survey response by crk", (api) => api.responseByCrk(1201, "v-7"), at("responses/crk/v-7/"), records, one],
  [11, "get metric, single response", (api) => api.metrics(1201, 9), at("responses/9/metrics/"), metrics, metrics[0]],
  [
    12,
    "get metric, report",
    (api) => api.reportMetrics(1201, 71),
    at("reports/71/metrics/"),
    reportMetrics,
    reportMetrics[0],
  ],
  [13, "get response metadata", (api) => api.metadata(1201, 44001), at("responses/44001/metadata/"), metadata],
  ["v2", "v2 survey list", (api) => api.v2.surveys(), "/api/v2/surveys/", surveys, asV2(surveys)],
  ["v2", "v2 survey", (api) => api.v2.survey(1201), v2(""), survey, asV2(survey, survey[0])],
  ["v2", "v2 questions", (api) => api.v2.questions(1201), v2("questions/"), questions, asV2(questions)],
  ["v2", "v2 responses", (api) => api.v2.records(1201), v2("responses"), records, asV2(records)],
  [
    "v2",
    "v2 responses, page",
    (api) => api.v2.records(1201, { page: 2 }),
    v2("page/2/responses"),
    odd,
    { value: undefined, raw: odd },
  ],
  [
    "v2",
    "v2 response by id",
    (api) => api.v2.response(1201, 44001),
    v2("responses/44001"),
    records,
    asV2(records, single),
  ],
  [
    "v2",
    "v2 response by crk",
    (api) => api.v2.responseByCrk(1201, "v-7"),
    v2("crk/v-7"),
    records,
    asV2(records, single),
  ],
  [
    "v2",
    "v2 response metadata",
    (api) => api.v2.metadata(1201, 44001),
    v2("responses/44001/metadata/"),
    metadata,
    asV2(metadata),
  ],
];

/** Every data operation of section 4, in every way that it can be called; `name` is how it is written. */
export const operationCases = rows.map(([number, operation, call, path, body, value = body]) => ({
  ...{ number, operation, call, path, body, value },
  name: String(call).replace("(api) => api.", ""),
}));
