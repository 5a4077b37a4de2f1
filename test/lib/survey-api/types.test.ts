import { describe, expectTypeOf, it } from "vitest";
import type {
  CallOptions,
  Coordination,
  Credentials,
  DataOperation,
  FailureCode,
  FullSurvey,
  JoinedResponse,
  LearnedRate,
  Operation,
  Order,
  ParametersOf,
  Priority,
  QuestionListItem,
  RecordsPage,
  RenewedToken,
  ReportListItem,
  ReportMetric,
  ResponseMetadata,
  ResponseMetric,
  ResponseRecord,
  RetryOptions,
  Share,
  SingleResponse,
  StoredToken,
  SurveyApi,
  SurveyApiOptions,
  SurveyListItem,
  Timeouts,
  TokenStore,
  V2Answer,
} from "../../../lib/survey-api/index.ts";
import { createSurveyApi, type defaultRetryPolicy, type operations } from "../../../lib/survey-api/index.ts";

// Held by the compiler: `tsc --noEmit` fails where one of these does not hold. The calls in `never` are not run.
const never = (_: (api: SurveyApi) => unknown): void => {};

describe("createSurveyApi()", () => {
  it("needs a base URL and credentials, and nothing else", () => {
    expectTypeOf(createSurveyApi).parameters.toEqualTypeOf<[SurveyApiOptions]>();
    expectTypeOf(createSurveyApi).returns.toEqualTypeOf<SurveyApi>();
    type Needed = { baseUrl: string; credentials: Credentials };
    expectTypeOf<Needed>().toExtend<SurveyApiOptions>();
    expectTypeOf<Omit<Needed, "baseUrl">>().not.toExtend<SurveyApiOptions>();
    expectTypeOf<Omit<Needed, "credentials">>().not.toExtend<SurveyApiOptions>();
    expectTypeOf<SurveyApiOptions["credentials"]>().toEqualTypeOf<Credentials | (() => Promise<Credentials>)>();
    expectTypeOf<Credentials>().toEqualTypeOf<{ clientId: string; clientSecret: string }>();
  });

  it("has options of its own type each", () => {
    type Optional = Required<Omit<SurveyApiOptions, "baseUrl" | "credentials">>;
    expectTypeOf<Optional>().toEqualTypeOf<{
      tokenStore: TokenStore;
      timeouts: Partial<Timeouts>;
      coordination: Coordination;
      concurrency: number;
      maxRequestsPerSecond: number;
      learned: LearnedRate;
      retry: RetryOptions;
      proxy: string;
      maxBodyBytes: number;
      strict: boolean;
      now: () => number;
      monotonic: () => number;
      sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
      random: () => number;
    }>();
    expectTypeOf<Timeouts>().toEqualTypeOf<{ connect: number; headers: number; body: number; call: number }>();
    expectTypeOf<TokenStore["read"]>().returns.resolves.toEqualTypeOf<StoredToken | undefined>();
    expectTypeOf<TokenStore["write"]>().parameters.toEqualTypeOf<[StoredToken]>();
    expectTypeOf<StoredToken>().toEqualTypeOf<{ token: string; obtainedAt: number; expiresAt: number }>();
    expectTypeOf<RetryOptions>().toExtend<Partial<Record<keyof typeof defaultRetryPolicy, unknown>>>();
    expectTypeOf<NonNullable<RetryOptions["attempts"]>>().toEqualTypeOf<Partial<Record<FailureCode, number>>>();
    expectTypeOf({
      attempts: { TIMEOUT: 1 },
      operations: { "get token": { UNREACHABLE: 2 } },
    }).toExtend<RetryOptions>();
  });
});

describe("functions", () => {
  it("take the options of a call last, all of them optional", () => {
    expectTypeOf<CallOptions>().toEqualTypeOf<{ signal?: AbortSignal; priority?: Priority }>();
    expectTypeOf<Priority>().toEqualTypeOf<"news" | "catch-up-pages" | "catch-up">();
    expectTypeOf<Order>().toEqualTypeOf<"asc" | "desc">();
    type Named = CallOptions | undefined;
    expectTypeOf<SurveyApi["token"]>().parameters.toEqualTypeOf<[options?: Named]>();
    expectTypeOf<SurveyApi["surveys"]>().parameters.toEqualTypeOf<[options?: Named]>();
    expectTypeOf<SurveyApi["survey"]>().parameters.toEqualTypeOf<[number, options?: Named]>();
    expectTypeOf<SurveyApi["questions"]>().parameters.toEqualTypeOf<[number, options?: Named]>();
    expectTypeOf<SurveyApi["reports"]>().parameters.toEqualTypeOf<[number, options?: Named]>();
    expectTypeOf<SurveyApi["response"]>().parameters.toEqualTypeOf<[number, number, options?: Named]>();
    expectTypeOf<SurveyApi["responseByCrk"]>().parameters.toEqualTypeOf<[number, string, options?: Named]>();
    expectTypeOf<SurveyApi["metrics"]>().parameters.toEqualTypeOf<[number, number, options?: Named]>();
    expectTypeOf<SurveyApi["reportMetrics"]>().parameters.toEqualTypeOf<[number, number, options?: Named]>();
    expectTypeOf<SurveyApi["metadata"]>().parameters.toEqualTypeOf<[number, number, options?: Named]>();
    expectTypeOf<SurveyApi["learned"]>().parameters.toEqualTypeOf<[]>();
    expectTypeOf<SurveyApi["learn"]>().parameters.toEqualTypeOf<[LearnedRate]>();
    expectTypeOf<SurveyApi["share"]>().parameters.toEqualTypeOf<[Share]>();
    expectTypeOf<SurveyApi["pauseUntil"]>().parameters.toEqualTypeOf<[number]>();
    expectTypeOf<SurveyApi["close"]>().parameters.toEqualTypeOf<[]>();
  });

  it("of lists take a page, an order, a beginning, a proof", () => {
    type Given<F extends (surveyId: number, options?: never) => unknown> = Exclude<Parameters<F>[1], undefined>;
    expectTypeOf<Given<SurveyApi["records"]>>().toEqualTypeOf<CallOptions & { page?: number; order?: Order }>();
    expectTypeOf<Given<SurveyApi["pages"]>>().toEqualTypeOf<CallOptions & { order?: Order; from?: number }>();
    expectTypeOf<Given<SurveyApi["responses"]>>().toEqualTypeOf<CallOptions & { order?: Order; prove?: boolean }>();
    expectTypeOf<Given<SurveyApi["v2"]["records"]>>().toEqualTypeOf<CallOptions & { page?: number }>();
  });

  it("give what the API document shows", () => {
    expectTypeOf<SurveyApi["token"]>().returns.resolves.toEqualTypeOf<string>();
    expectTypeOf<SurveyApi["renewToken"]>().returns.resolves.toEqualTypeOf<RenewedToken>();
    expectTypeOf<SurveyApi["surveys"]>().returns.resolves.toEqualTypeOf<SurveyListItem[]>();
    expectTypeOf<SurveyApi["survey"]>().returns.resolves.toEqualTypeOf<FullSurvey>();
    expectTypeOf<SurveyApi["questions"]>().returns.resolves.toEqualTypeOf<QuestionListItem[]>();
    expectTypeOf<SurveyApi["reports"]>().returns.resolves.toEqualTypeOf<ReportListItem[]>();
    expectTypeOf<SurveyApi["records"]>().returns.resolves.toEqualTypeOf<ResponseRecord[]>();
    expectTypeOf<SurveyApi["response"]>().returns.resolves.toEqualTypeOf<SingleResponse>();
    expectTypeOf<SurveyApi["responseByCrk"]>().returns.resolves.toEqualTypeOf<SingleResponse>();
    expectTypeOf<SurveyApi["metrics"]>().returns.resolves.toEqualTypeOf<Record<string, ResponseMetric>>();
    expectTypeOf<SurveyApi["reportMetrics"]>().returns.resolves.toEqualTypeOf<Record<string, ReportMetric>>();
    expectTypeOf<SurveyApi["metadata"]>().returns.resolves.toEqualTypeOf<ResponseMetadata[]>();
    expectTypeOf<SurveyApi["pages"]>().returns.toEqualTypeOf<AsyncIterable<RecordsPage>>();
    expectTypeOf<SurveyApi["responses"]>().returns.toEqualTypeOf<AsyncIterable<JoinedResponse>>();
    expectTypeOf<SurveyApi["learned"]>().returns.toEqualTypeOf<LearnedRate | undefined>();
    expectTypeOf<SurveyApi["close"]>().returns.resolves.toEqualTypeOf<void>();
    expectTypeOf<keyof SurveyApi>().toEqualTypeOf<
      | ("token" | "surveys" | "survey" | "questions" | "reports" | "records" | "response" | "responseByCrk")
      | ("metrics" | "reportMetrics" | "metadata" | "pages" | "responses" | "v2" | "read" | "elements" | "entries")
      | ("learned" | "learn" | "share" | "pauseUntil" | "close" | "renewToken")
    >();
  });

  it("of v2 give the JSON, and what v3 gives where it fits", () => {
    type V2 = SurveyApi["v2"];
    type ById = Omit<SingleResponse, "raw">;
    expectTypeOf<V2Answer<string>>().toEqualTypeOf<{ value: string | undefined; raw: unknown }>();
    expectTypeOf<V2["surveys"]>().returns.resolves.toEqualTypeOf<V2Answer<SurveyListItem[]>>();
    expectTypeOf<V2["survey"]>().returns.resolves.toEqualTypeOf<V2Answer<FullSurvey>>();
    expectTypeOf<V2["questions"]>().returns.resolves.toEqualTypeOf<V2Answer<QuestionListItem[]>>();
    expectTypeOf<V2["records"]>().returns.resolves.toEqualTypeOf<V2Answer<ResponseRecord[]>>();
    expectTypeOf<V2["response"]>().returns.resolves.toEqualTypeOf<V2Answer<ById>>();
    expectTypeOf<V2["responseByCrk"]>().returns.resolves.toEqualTypeOf<V2Answer<ById>>();
    expectTypeOf<V2["metadata"]>().returns.resolves.toEqualTypeOf<V2Answer<ResponseMetadata[]>>();
    expectTypeOf<keyof V2>().toEqualTypeOf<
      "surveys" | "survey" | "questions" | "records" | "response" | "responseByCrk" | "metadata"
    >();
  });

  it("refuse what is wrong", () => {
    never((api) => [
      // @ts-expect-error: identifiers are integers
      api.survey("7"),
      // @ts-expect-error: a crk is a text
      api.responseByCrk(7, 4711),
      // @ts-expect-error: asc or desc
      api.records(7, { order: "up" }),
      // @ts-expect-error: not an option of this function
      api.records(7, { from: 2 }),
      // @ts-expect-error: news or catch-up
      api.surveys({ priority: "high" }),
      // @ts-expect-error: there is no order in v2
      api.v2.records(7, { order: "asc" }),
      // @ts-expect-error: there are no metrics in v2
      api.v2.metrics,
      // @ts-expect-error: its path is not shown
      api.report,
    ]);
  });
});

describe("read() and elements()", () => {
  it("take the parameters of their operation", () => {
    expectTypeOf<Operation>().toEqualTypeOf<keyof typeof operations>();
    expectTypeOf<DataOperation>().toEqualTypeOf<Exclude<Operation, "get token">>();
    expectTypeOf<ParametersOf<"get survey list">>().toEqualTypeOf<Record<never, never>>();
    type PageAndOrder = ParametersOf<"get survey responses, page and order">;
    expectTypeOf<PageAndOrder>().toExtend<{ surveyId: number; page: number; order: Order }>();
    expectTypeOf<{ surveyId: number; page: number; order: Order }>().toExtend<PageAndOrder>();
    expectTypeOf<{ surveyId: number }>().not.toExtend<PageAndOrder>();
    expectTypeOf<{ surveyId: number; crk: string }>().toExtend<ParametersOf<"v2 response by crk">>();
    expectTypeOf<{ surveyId: number; reportId: number }>().toExtend<ParametersOf<"get metric, report">>();
  });

  it("give unknown JSON, and refuse the parameters of another operation", () => {
    expectTypeOf<SurveyApi["read"]>().returns.resolves.toEqualTypeOf<unknown>();
    expectTypeOf<SurveyApi["elements"]>().returns.resolves.toEqualTypeOf<unknown[]>();
    never((api) => [
      api.read("get survey list", {}, { priority: "catch-up" }),
      api.elements("get survey responses, page", { surveyId: 7, page: 2 }),
      // @ts-expect-error: which survey?
      api.read("get survey", {}),
      // @ts-expect-error: which response?
      api.read("get response metadata", { surveyId: 7 }),
      // @ts-expect-error: a page is no parameter of operation 6
      api.elements("get survey responses", { surveyId: 7, page: 2 }),
      // @ts-expect-error: a token is got by token()
      api.read("get token", {}),
      // @ts-expect-error: no such operation
      api.read("get report", { surveyId: 7, reportId: 1 }),
    ]);
  });
});
