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
import type { DataOperation, Order, ParametersOf } from "./operations.ts";
import type { LearnedRate } from "./rate/allowed-rate.ts";
import type { Priority } from "./rate/limiter.ts";
import type { RenewedToken } from "./token/tokens.ts";

/** Options of every call. */
export interface CallOptions {
  /** Ends the call, the waiting for its turn and the request under way; the call then rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Requests for news go before those of a backlog. Default "news". */
  priority?: Priority;
}

/** One response by operation 9 or 10, whose body the API document does not show. */
export interface SingleResponse {
  /** Undefined when it was asked for by crk and the body does not show it. */
  responseId: number | undefined;
  /** As many fields of a `ResponseRecord` as the body has. */
  records: Record<string, unknown>[];
  /** The JSON as it was read. */
  raw: unknown;
}

/** The body of a v2 operation, whose shape the API document does not show. */
export interface V2Answer<T> {
  /** The value that v3 gives for the same operation; undefined when v3 would not take the body for one. */
  value: T | undefined;
  raw: unknown;
}

/**
 * A client of the survey service. Every function is one operation of the API document, whose number is told. It makes one request unless
 * the service fails, refuses or asks for another token.
 *
 * Rejects with a `SurveyApiError`:
 *
 * - `NotFoundError` for 404, `BadRequestError` for 400, `NotAllowedError` for 401;
 * - `WrongCredentialsError`, `WrongTokenError` and `TooManyRenewalsError` when no token can be had;
 * - `TooManyRequestsError`, `ServerError`, `NetworkError`, `TimeoutError` after the attempts of the retry policy;
 * - `AnswerMismatchError` for an answer about something else than what was asked for;
 * - `UnreadableBodyError` for an answer that cannot be understood.
 *
 * Its `code`, `status`, `operation`, `attempts`, `retryable` and `hint` say the rest. Identifiers that no path can hold throw a RangeError.
 *
 * @example
 * const api = createSurveyApi({ baseUrl: "https://surveys.example.com", credentials: { clientId, clientSecret } });
 * for (const { surveyId, name } of await api.surveys()) console.log(surveyId, name);
 * await api.close();
 */
export interface SurveyApi {
  /** Operation 1: the token in use, asked for or renewed if need be. The other functions call it when they need it. */
  token(options?: CallOptions): Promise<string>;

  /** Operation 1: asks for a token in the place of the one in use, however good that is, and keeps it. Tells until when it holds, and not the token. */
  renewToken(): Promise<RenewedToken>;

  /** Operation 2: all surveys of the account. `created` is in seconds since the epoch, `modified` a date-time string without zone. */
  surveys(options?: CallOptions): Promise<SurveyListItem[]>;

  /** Operation 3: one whole survey, its blocks, pages and questions keyed by their identifiers. */
  survey(surveyId: number, options?: CallOptions): Promise<FullSurvey>;

  /** Operation 4: the questions of a survey alone. */
  questions(surveyId: number, options?: CallOptions): Promise<QuestionListItem[]>;

  /**
   * Operation 5: the reports of a survey. Their fields are not shown in the API document: each comes as it was read, with its
   * identifier where one can be made out. A single report cannot be read, since its path is not shown.
   */
  reports(surveyId: number, options?: CallOptions): Promise<ReportListItem[]>;

  /**
   * Operations 6, 7 and 8: at most 100 response records. They are the first ones, those of a page counted from 1, or those of a page in an
   * order (page 1 when left out). The document does not show by what they are sorted, nor what comes past the last page: nothing, 204, 404,
   * 400 or the last page again.
   */
  records(surveyId: number, options?: CallOptions & { page?: number; order?: Order }): Promise<ResponseRecord[]>;

  /** Operation 9: one response. */
  response(surveyId: number, responseId: number, options?: CallOptions): Promise<SingleResponse>;

  /** Operation 10: one response by its `crk`, any text. */
  responseByCrk(surveyId: number, crk: string, options?: CallOptions): Promise<SingleResponse>;

  /**
   * Operation 11: the metrics of one response by key. What the key is, is not shown; `metricId` names the metric. `{}` when there are none,
   * where some services answer 404.
   */
  metrics(surveyId: number, responseId: number, options?: CallOptions): Promise<Record<string, ResponseMetric>>;

  /** Operation 12: the metrics of a report by key. `score` and `responseSum` are numbers in strings. */
  reportMetrics(surveyId: number, reportId: number, options?: CallOptions): Promise<Record<string, ReportMetric>>;

  /** Operation 13: operating system, browser, language and device of one response: an array, usually of one. `ip` and `referrer` are personal data. */
  metadata(surveyId: number, responseId: number, options?: CallOptions): Promise<ResponseMetadata[]>;

  /** The legacy family, whose bodies are not shown: each comes as it was read, and as what v3 gives where it has that shape. */
  v2: SurveyApiV2;

  /** GET of any path of the service, and its JSON as it was read: for what the API document does not show. */
  request(path: string, options?: CallOptions): Promise<unknown>;

  /** Any operation, and its JSON as it was read. */
  read<O extends DataOperation>(operation: O, parameters: ParametersOf<O>, options?: CallOptions): Promise<unknown>;

  /**
   * Any operation that gives a list, and its elements as they were read: for callers that judge each separately. With `each` the body is
   * read as it comes. No more of it is held than one element, and of each the result of `each`.
   */
  elements<O extends DataOperation, T = unknown>(
    operation: O,
    parameters: ParametersOf<O>,
    options?: CallOptions & { each?: (element: unknown) => T },
  ): Promise<T[]>;

  /** Any operation that gives things by key, and these as they were read, by key; an array of them where the service wrote a list. */
  entries<O extends DataOperation>(
    operation: O,
    parameters: ParametersOf<O>,
    options?: CallOptions,
  ): Promise<Record<string, unknown> | unknown[]>;

  /**
   * The rate that the service allows, as its refusals (429) have taught it; undefined while it refused nothing. Plain JSON, for the option
   * `learned` of the next client.
   */
  learned(): LearnedRate | undefined;

  /** Goes on with what another client of the service has learned, in the place of what this one has. What cannot be understood is left alone. */
  learn(learned: LearnedRate): void;

  /** Nothing goes out before `at` (epoch milliseconds; an hour from now at most), as another client was told. It only ever prolongs a pause. */
  pauseUntil(at: number): void;

  /** Closes the connections once the requests under way are done. */
  close(): Promise<void>;
}

/**
 * The legacy family (section 4.2). It has no metrics, no reports and no order; its token is that of operation 1.
 *
 * @example
 * const { value, raw } = await api.v2.surveys();
 */
export interface SurveyApiV2 {
  /** `GET /api/v2/surveys/` */
  surveys(options?: CallOptions): Promise<V2Answer<SurveyListItem[]>>;
  /** `GET /api/v2/surveys/{id}/` */
  survey(surveyId: number, options?: CallOptions): Promise<V2Answer<FullSurvey>>;
  /** `GET /api/v2/surveys/{id}/questions/` */
  questions(surveyId: number, options?: CallOptions): Promise<V2Answer<QuestionListItem[]>>;
  /** `GET /api/v2/surveys/{id}/responses`, or with a page, counted from 1, `GET /api/v2/surveys/{id}/page/{page}/responses`: at most 100 records. */
  records(surveyId: number, options?: CallOptions & { page?: number }): Promise<V2Answer<ResponseRecord[]>>;
  /** `GET /api/v2/surveys/{id}/responses/{response-id}` */
  response(surveyId: number, responseId: number, options?: CallOptions): Promise<V2Answer<Omit<SingleResponse, "raw">>>;
  /** `GET /api/v2/surveys/{id}/crk/{crk}` */
  responseByCrk(surveyId: number, crk: string, options?: CallOptions): Promise<V2Answer<Omit<SingleResponse, "raw">>>;
  /** `GET /api/v2/surveys/{id}/responses/{responseId}/metadata/` */
  metadata(surveyId: number, responseId: number, options?: CallOptions): Promise<V2Answer<ResponseMetadata[]>>;
}
