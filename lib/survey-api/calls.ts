import {
  asEntries,
  documented,
  elementsOf,
  metadataBody,
  metricsBody,
  notShown,
  questionsBody,
  type ReadBody,
  readReports,
  readSingleResponse,
  recordsBody,
  reportMetricsBody,
  surveyBody,
  surveyListBody,
} from "./bodies/index.ts";
import { type Call, judged, oneThing } from "./call.ts";
import { createV2Calls } from "./calls-v2.ts";
import { joinResponses } from "./lists/joined-responses.ts";
import { pageRead } from "./lists/page-read.ts";
import { type ReadPage, readPages } from "./lists/pages.ts";
import { streamedList } from "./lists/streamed-list.ts";
import type { DataOperation, Order, ParametersOf } from "./operations.ts";
import type { CallOptions, SingleResponse, SurveyApi } from "./survey-api.ts";

/** The functions of a client that ask for data. */
export type Calls = Omit<SurveyApi, "token" | "renewToken" | "learned" | "learn" | "share" | "pauseUntil" | "close">;

export interface CallsOptions {
  strict: boolean;
  maxBodyBytes: number;
}

/** Every data operation as a function. */
export function createCalls(call: Call, { strict, maxBodyBytes }: CallsOptions): Calls {
  const read = {
    surveys: documented(surveyListBody, strict),
    survey: documented(surveyBody, strict),
    questions: documented(questionsBody, strict),
    reports: notShown(readReports),
    records: documented(recordsBody, strict),
    metrics: documented(metricsBody, strict),
    reportMetrics: documented(reportMetricsBody, strict),
    metadata: documented(metadataBody, strict),
  };

  const pageReader =
    (surveyId: number, given: CallOptions & { order: Order }): ReadPage =>
    async (page) => {
      const records = calls.records(surveyId, { page, ...given });
      // A survey that is not there is told from an empty one.
      if (page === 1) return records;
      const read = await pageRead(BY_PAGE, page, records);
      return read.kind === "none" ? [] : read.records;
    };

  const calls: Calls = {
    surveys: (given) => call("get survey list", {}, judged({}, read.surveys), given),
    survey: (surveyId, given) => call("get survey", { surveyId }, oneThing(judged({ surveyId }, read.survey)), given),
    questions: (surveyId, given) => call("get survey questions", { surveyId }, judged({}, read.questions), given),
    reports: (surveyId, given) => call("get reports list", { surveyId }, judged({}, read.reports), given),
    records(surveyId, { page, order, ...given } = {}) {
      const readBody = judged({ surveyId }, read.records);
      if (order !== undefined) return call(BY_PAGE, { surveyId, page: page ?? 1, order }, readBody, given);
      if (page !== undefined) return call("get survey responses, page", { surveyId, page }, readBody, given);
      return call("get survey responses", { surveyId }, readBody, given);
    },
    response: (surveyId, responseId, given) => {
      const asked = { surveyId, responseId };
      return call("get survey response by id", asked, oneThing(oneResponse(asked)), given);
    },
    responseByCrk: (surveyId, crk, given) => {
      const readBody = oneThing(oneResponse({ surveyId }));
      return call("get survey response by crk", { surveyId, crk }, readBody, given);
    },
    metrics: (surveyId, responseId, given) =>
      call("get metric, single response", { surveyId, responseId }, judged({}, read.metrics), given),
    reportMetrics: (surveyId, reportId, given) =>
      call("get metric, report", { surveyId, reportId }, judged({}, read.reportMetrics), given),
    metadata: (surveyId, responseId, given) =>
      call("get response metadata", { surveyId, responseId }, judged({ responseId }, read.metadata), given),
    pages: (surveyId, { order = "asc", from = 1, ...given } = {}) =>
      readPages(pageReader(surveyId, { order, ...given }), from),
    responses: (surveyId, { order = "asc", prove = true, ...given } = {}) =>
      joinResponses(pageReader(surveyId, { order, ...given }), prove),
    read: (operation, parameters, given) => call(operation, parameters, (body) => body, given),
    elements<O extends DataOperation, T>(
      operation: O,
      parameters: ParametersOf<O>,
      { each, ...given }: CallOptions & { each?: (element: unknown) => T } = {},
    ): Promise<T[]> {
      const list = judged(parameters, elementsOf(operation));
      // Without `each` its elements are what they are.
      if (each === undefined) return call(operation, parameters, list as ReadBody<T[]>, given);
      const readBody: ReadBody<T[]> = (body, about) => list(body, about).map(each);
      // What names a survey is judged as a whole.
      const stream = "surveyId" in parameters ? undefined : () => streamedList(each, maxBodyBytes);
      return call(operation, parameters, readBody, given, stream);
    },
    entries: (operation, parameters, given) => call(operation, parameters, judged({}, asEntries(operation)), given),
    v2: createV2Calls(call, read),
  };
  return calls;
}

const BY_PAGE = "get survey responses, page and order";

function oneResponse(asked: { surveyId: number; responseId?: number }): ReadBody<SingleResponse> {
  return (raw, about) => ({ ...notShown((body) => readSingleResponse(body, asked, about))(raw, about), raw });
}
