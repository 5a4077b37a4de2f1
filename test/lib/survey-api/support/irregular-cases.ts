import type { SurveyApi } from "../../../../lib/survey-api/index.ts";
import metadata from "../schemas/fixtures/metadata.json" with { type: "json" };
import questions from "../schemas/fixtures/questions.json" with { type: "json" };
import records from "../schemas/fixtures/records.json" with { type: "json" };
import reportMetrics from "../schemas/fixtures/report-metrics.json" with { type: "json" };
import responseMetrics from "../schemas/fixtures/response-metrics.json" with { type: "json" };
import survey from "../schemas/fixtures/survey.json" with { type: "json" };
import surveyList from "../schemas/fixtures/survey-list.json" with { type: "json" };
import type { Json } from "../schemas/support/json.ts";

/** Stands where it should not, and must not be told of. */
export const PRIVATE = "Jane Doe, jane@example.com";

/** A documented body in which one field can be spoilt. */
interface IrregularCase {
  name: string;
  call: (api: SurveyApi) => Promise<unknown>;
  path: string;
  operation: string;
  body: Json;
  /** The field that is spoilt, and what is told of it. */
  field: (string | number)[];
  told: { path: string; expected: string };
  /** What identifies an element, which cannot be spoilt without an error. */
  identity?: (string | number)[];
  /** Whether the array of one is unwrapped in the value. */
  unwrapped?: boolean;
}

/** One for each function whose body is documented. */
export const irregularCases: IrregularCase[] = [
  {
    name: "surveys",
    call: (api) => api.surveys(),
    path: "/api/v3/surveys/",
    operation: "get survey list",
    body: surveyList,
    field: [0, "languageId"],
    told: { path: "[0].languageId", expected: "integer" },
    identity: [0, "surveyId"],
  },
  {
    name: "survey",
    call: (api) => api.survey(1201),
    path: "/api/v3/surveys/1201/",
    operation: "get survey",
    body: survey as Json,
    field: [0, "blocksById", "501", "blockNumber"],
    told: { path: "[0].blocksById.501.blockNumber", expected: "integer" },
    identity: [0, "surveyId"],
    unwrapped: true,
  },
  {
    name: "questions",
    call: (api) => api.questions(1201),
    path: "/api/v3/surveys/1201/questions/",
    operation: "get survey questions",
    body: questions,
    field: [0, "questionParams", "answers"],
    told: { path: "[0].questionParams.answers", expected: "array" },
    identity: [0, "questionId"],
  },
  {
    name: "records",
    call: (api) => api.records(1201),
    path: "/api/v3/surveys/1201/responses/",
    operation: "get survey responses",
    body: records,
    field: [1, "answer"],
    told: { path: "[1].answer", expected: "array" },
    identity: [1, "completed"],
  },
  {
    name: "records of a page",
    call: (api) => api.records(1201, { page: 2 }),
    path: "/api/v3/surveys/1201/responses/page/2/",
    operation: "get survey responses, page",
    body: records,
    field: [1, "score"],
    told: { path: "[1].score", expected: "integer" },
    identity: [0, "responseId"],
  },
  {
    name: "metrics",
    call: (api) => api.metrics(1201, 1),
    path: "/api/v3/surveys/1201/responses/1/metrics/",
    operation: "get metric, single response",
    body: responseMetrics,
    field: [0, "31", "score", "nps"],
    told: { path: "[0].31.score.nps", expected: "boolean" },
    unwrapped: true,
  },
  {
    name: "reportMetrics",
    call: (api) => api.reportMetrics(1201, 71),
    path: "/api/v3/surveys/1201/reports/71/metrics/",
    operation: "get metric, report",
    body: reportMetrics,
    field: [0, "31", "maxPointsSum"],
    told: { path: "[0].31.maxPointsSum", expected: "integer" },
    unwrapped: true,
  },
  {
    name: "metadata",
    call: (api) => api.metadata(1201, 44001),
    path: "/api/v3/surveys/1201/responses/44001/metadata/",
    operation: "get response metadata",
    body: metadata,
    field: [0, "languageId"],
    told: { path: "[0].languageId", expected: "integer" },
  },
];
