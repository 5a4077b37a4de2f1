import { isObject } from "../json.ts";
import type { Documented, OperationOf } from "./bodies/documents.ts";
import { saysNothing } from "./bodies/json.ts";
import { type ReadResponse, readReports, readSingleResponse } from "./bodies/not-shown.ts";
import { notShown, type ReadBody, typed, untyped } from "./bodies/read-body.ts";
import type {
  FullSurvey,
  QuestionListItem,
  ReportListItem,
  ReportMetric,
  ResponseMetadata,
  ResponseMetric,
  ResponseRecord,
  SurveyListItem,
} from "./bodies/resources.ts";
import type { Asked } from "./bodies/subject.ts";
import { BadRequestError, NotAllowedError, NotFoundError, UnreadableBodyError } from "./errors.ts";
import { type DataOperation, type Order, type ParametersOf, pathOf } from "./paths.ts";
import type { Priority } from "./rate/limiter.ts";
import type { Authorized } from "./token/authorized.ts";

/** Options of every call. */
export interface CallOptions {
  /** Ends the call, the waiting for its turn and the request under way; the call then rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Requests for news go before those of a backlog. Default "news". */
  priority?: Priority;
}

/** One response by operation 9 or 10, whose body the API document does not show. */
export interface SingleResponse extends ReadResponse {
  /** The JSON as it was read. */
  raw: unknown;
}

/** The body of a v2 operation, whose shape the API document does not show. */
export interface V2Answer<T> {
  /** The value that v3 gives for the same operation; undefined when v3 would not take the body for one. */
  value: T | undefined;
  raw: unknown;
}

/** The functions that ask for data. */
export type Calls = ReturnType<typeof createCalls>;

/** Every data operation as a function; `strict`: a field that is not as documented is an error. */
export function createCalls(send: Authorized, strict = false) {
  /** Makes the request of one operation, and gives what `readBody` makes of its answer. Statuses other than 200 and 204 become errors. */
  async function call<O extends DataOperation, T>(
    operation: O,
    parameters: ParametersOf<O>,
    readBody: ReadBody<T>,
    { signal, priority = "news" }: CallOptions = {},
  ): Promise<T> {
    // Before a token is asked for: what no path can hold, and who does not wait any more.
    pathOf(operation, parameters);
    signal?.throwIfAborted();
    const answer = await send({ operation, parameters, priority, signal, readBody });
    const about = { operation, status: answer.status, attempts: answer.attempts };
    if (answer.status === 200) return answer.value;
    if (answer.status === 204) return readBody(null, about);
    if (answer.status === 404) throw new NotFoundError("not found (404)", { ...about, hint: IS_THERE });
    if (answer.status === 400) {
      const hint = "The token is good: check what was asked for.";
      throw new BadRequestError("bad request (400)", { ...about, hint });
    }
    const hint = "Ask the service's operator what this account may read.";
    throw new NotAllowedError("the service does not let this account read it (401)", { ...about, hint });
  }
  const v3 = <O extends Documented>(operation: O, asked: ParametersOf<O>, given?: CallOptions) =>
    call(operation, asked, typed(operation, asked, strict), given);
  const v2 = <O extends Documented>(operation: O, asked: ParametersOf<O>, given?: CallOptions) =>
    call(operation, asked, asV3(typed(operation, asked, strict)), given);

  return {
    /** Operation 2: all surveys of the account. `created` is in seconds since the epoch, `modified` a date-time string without zone. */
    surveys: (given?: CallOptions): Promise<SurveyListItem[]> => v3("get survey list", {}, given),

    /** Operation 3: one whole survey, its blocks, pages and questions keyed by their identifiers. */
    survey: (surveyId: number, given?: CallOptions): Promise<FullSurvey> =>
      call("get survey", { surveyId }, oneThing(typed("get survey", { surveyId }, strict)), given),

    /** Operation 4: the questions of a survey alone. */
    questions: (surveyId: number, given?: CallOptions): Promise<QuestionListItem[]> =>
      v3("get survey questions", { surveyId }, given),

    /** Operation 5: the reports of a survey, each as it was read. A single one cannot be read, since its path is not shown. */
    reports: (surveyId: number, given?: CallOptions): Promise<ReportListItem[]> =>
      call("get reports list", { surveyId }, notShown(readReports), given),

    /**
     * Operations 6, 7 and 8: at most 100 response records. They are the first ones, those of a page counted from 1, or those of a page in an
     * order (page 1 when left out). The document does not show by what they are sorted, nor what comes past the last page: nothing, 204, 404,
     * 400 or the last page again.
     */
    records(
      surveyId: number,
      { page, order, ...given }: CallOptions & { page?: number; order?: Order } = {},
    ): Promise<ResponseRecord[]> {
      if (order !== undefined)
        return v3("get survey responses, page and order", { surveyId, page: page ?? 1, order }, given);
      if (page !== undefined) return v3("get survey responses, page", { surveyId, page }, given);
      return v3("get survey responses", { surveyId }, given);
    },

    /** Operation 9: one response. */
    response: (surveyId: number, responseId: number, given?: CallOptions): Promise<SingleResponse> =>
      call("get survey response by id", { surveyId, responseId }, oneResponse({ surveyId, responseId }), given),

    /** Operation 10: one response by its `crk`, any text. */
    responseByCrk: (surveyId: number, crk: string, given?: CallOptions): Promise<SingleResponse> =>
      call("get survey response by crk", { surveyId, crk }, oneResponse({ surveyId }), given),

    /** Operation 11: the metrics of one response by key. `metricId` names the metric. `{}`, or 404 at some services, when there are none. */
    metrics: (surveyId: number, responseId: number, given?: CallOptions): Promise<Record<string, ResponseMetric>> =>
      v3("get metric, single response", { surveyId, responseId }, given),

    /** Operation 12: the metrics of a report by key. `score` and `responseSum` are numbers in strings. */
    reportMetrics: (surveyId: number, reportId: number, given?: CallOptions): Promise<Record<string, ReportMetric>> =>
      v3("get metric, report", { surveyId, reportId }, given),

    /** Operation 13: operating system, browser, language and device of one response: an array, usually of one. `ip` and `referrer` are personal data. */
    metadata: (surveyId: number, responseId: number, given?: CallOptions): Promise<ResponseMetadata[]> =>
      v3("get response metadata", { surveyId, responseId }, given),

    /**
     * The legacy family (section 4.2), whose bodies are not shown: each comes as it was read, and as what v3 gives where it has that shape.
     * It has no metrics, no reports and no order; its token is that of operation 1.
     */
    v2: {
      surveys: (given?: CallOptions) => v2("v2 survey list", {}, given),
      survey: (surveyId: number, given?: CallOptions) => v2("v2 survey", { surveyId }, given),
      questions: (surveyId: number, given?: CallOptions) => v2("v2 questions", { surveyId }, given),
      /** At most 100 records: the first ones, or those of a page counted from 1. */
      records: (surveyId: number, { page, ...given }: CallOptions & { page?: number } = {}) =>
        page === undefined
          ? v2("v2 responses", { surveyId }, given)
          : v2("v2 responses, page", { surveyId, page }, given),
      response: (surveyId: number, responseId: number, given?: CallOptions) =>
        call("v2 response by id", { surveyId, responseId }, oneV2Response({ surveyId, responseId }), given),
      responseByCrk: (surveyId: number, crk: string, given?: CallOptions) =>
        call("v2 response by crk", { surveyId, crk }, oneV2Response({ surveyId }), given),
      metadata: (surveyId: number, responseId: number, given?: CallOptions) =>
        v2("v2 response metadata", { surveyId, responseId }, given),
    },

    /** GET of any path of the service, and its JSON as it was read: for what the API document does not show. */
    request: (path: string, given?: CallOptions) => call("request", { path }, asRead, given),

    /** Any operation, and its JSON as it was read. */
    read: <O extends DataOperation>(operation: O, parameters: ParametersOf<O>, given?: CallOptions) =>
      call(operation, parameters, asRead, given),

    /** Any operation that gives a list, and its elements as they were read: for callers that judge each separately. */
    elements: <O extends OperationOf<"list">>(operation: O, parameters: ParametersOf<O>, given?: CallOptions) =>
      call(operation, parameters, untyped(operation, parameters) as ReadBody<unknown[]>, given),

    /** Any operation that gives things by key, and these as they were read, by key; an array of them where the service wrote a list. */
    entries: <O extends OperationOf<"map">>(operation: O, parameters: ParametersOf<O>, given?: CallOptions) =>
      call(operation, parameters, untyped(operation, parameters), given),
  };
}

const asRead: ReadBody<unknown> = (body) => body;

const IS_THERE = "Is there such a thing on this account?";

/** Reads the one thing that was asked for. Where nothing is said of it, it is not there. */
function oneThing<T>(readBody: ReadBody<T>): ReadBody<T> {
  return (body, about) => {
    if (!saysNothing(body)) return readBody(body, about);
    throw new NotFoundError(`nothing is there (${about.status})`, { ...about, hint: IS_THERE });
  };
}

function oneResponse(asked: Asked): ReadBody<SingleResponse> {
  const read = notShown((body, about) => readSingleResponse(body, asked, about));
  return oneThing((raw, about) => ({ ...read(raw, about), raw }));
}

const oneV2Response =
  (asked: Asked): ReadBody<V2Answer<ReadResponse>> =>
  (raw, about) => ({ value: readSingleResponse(raw, asked, about), raw });

/** Reads a v2 body as v3 reads one: under one usual name, or as it is. What wraps it may have an id as well. */
function asV3<T>(readBody: ReadBody<T>): ReadBody<V2Answer<T>> {
  return (raw, about) => {
    const wrapped = ["data", "result"].flatMap((name) =>
      isObject(raw) && Object.hasOwn(raw, name) ? [raw[name]] : [],
    );
    for (const body of [...wrapped, raw]) {
      try {
        return { value: readBody(body, about), raw };
      } catch (error) {
        if (!(error instanceof UnreadableBodyError)) throw error;
      }
    }
    return { value: undefined, raw };
  };
}
