import { describe, expectTypeOf, it } from "vitest";
import type {
  BadRequestError,
  FailureCode,
  FullSurvey,
  IrregularEvent,
  JoinedResponse,
  LearnedRate,
  NotFoundError,
  Operation,
  OptionsError,
  PauseEvent,
  RecordsPage,
  ReportListItem,
  ReportMetric,
  RequestEvent,
  ResponseMetadata,
  ResponseMetric,
  ResponseRecord,
  RetryEvent,
  SingleResponse,
  SurveyApi,
  SurveyApiError,
  SurveyApiOptions,
  SurveyListItem,
  TokenEvent,
  TooManyRequestsError,
  UnreadableBodyError,
} from "../../../lib/survey-api/index.ts";

// Held by the compiler: `tsc --noEmit` fails where one of these does not hold.

describe("what comes back", () => {
  it("of joined responses has the fields of their records", () => {
    type Repeated =
      | "responseId"
      | "surveyId"
      | "iso3166"
      | "crk"
      | "promoCode"
      | "completed"
      | "dateStart"
      | "dateCompleted";
    expectTypeOf<keyof JoinedResponse>().toEqualTypeOf<Repeated | "records">();
    expectTypeOf<JoinedResponse["records"]>().toEqualTypeOf<ResponseRecord[]>();
    expectTypeOf<JoinedResponse["responseId"]>().toEqualTypeOf<number>();
    expectTypeOf<JoinedResponse["dateCompleted"]>().toEqualTypeOf<string>();
    expectTypeOf<RecordsPage>().toEqualTypeOf<{ page: number; records: ResponseRecord[] }>();
    expectTypeOf<SingleResponse["responseId"]>().toEqualTypeOf<number | undefined>();
    expectTypeOf<SingleResponse["records"]>().toEqualTypeOf<Record<string, unknown>[]>();
    expectTypeOf<SingleResponse["raw"]>().toEqualTypeOf<unknown>();
    expectTypeOf<ReportListItem>().toEqualTypeOf<{ reportId: number | undefined; raw: unknown }>();
  });

  it("of resources has the documented types, misspelled names included, and whatever else was sent", () => {
    expectTypeOf<ResponseRecord["answer"]>().toEqualTypeOf<number[]>();
    expectTypeOf<ResponseRecord["score"]>().toEqualTypeOf<number | null>();
    expectTypeOf<ReportMetric["minPointSum"]>().toEqualTypeOf<number>();
    expectTypeOf<ReportMetric["score"]>().toEqualTypeOf<string>();
    expectTypeOf<ResponseMetric["score"]["nps"]>().toEqualTypeOf<boolean>();
    expectTypeOf<SurveyListItem["created"]>().toEqualTypeOf<number>();
    expectTypeOf<FullSurvey["languageId"]>().toEqualTypeOf<number | null>();
    expectTypeOf<ResponseMetadata["somethingNew"]>().toEqualTypeOf<unknown>();
    expectTypeOf<ResponseMetadata["referrer"]>().toEqualTypeOf<string | null>();
  });

  it("of the learned rate is plain JSON, as the option takes it", () => {
    type Json = string | number | boolean | null | { [key: string]: Json } | Json[];
    type AsRecord<T> = { [K in keyof T]: T[K] };
    expectTypeOf<AsRecord<LearnedRate>>().toExtend<Json>();
    expectTypeOf<SurveyApi["learned"]>().returns.toEqualTypeOf<SurveyApiOptions["learned"]>();
  });
});

describe("errors and events", () => {
  it("of the service say which operation failed, and how", () => {
    type Told = Pick<SurveyApiError, "operation" | "status" | "attempts" | "excerpt" | "retryable" | "hint" | "code">;
    expectTypeOf<Told>().toEqualTypeOf<{
      readonly operation: Operation;
      readonly status: number | undefined;
      readonly attempts: number;
      readonly excerpt: string | undefined;
      readonly retryable: boolean;
      readonly hint: string;
      readonly code: string;
    }>();
    expectTypeOf<NotFoundError>().toExtend<SurveyApiError>();
    expectTypeOf<UnreadableBodyError["excerpt"]>().toEqualTypeOf<string | undefined>();
    expectTypeOf<TooManyRequestsError["retryAfter"]>().toEqualTypeOf<number | undefined>();
    expectTypeOf<BadRequestError["code"]>().toEqualTypeOf<"BAD_REQUEST">();
    expectTypeOf<NotFoundError["code"]>().toEqualTypeOf<"NOT_FOUND">();
    expectTypeOf<OptionsError>().not.toExtend<SurveyApiError>();
    expectTypeOf<FailureCode>().toEqualTypeOf<
      "SERVER_ERROR" | "UNREACHABLE" | "TIMEOUT" | "UNREADABLE_BODY" | "ANSWER_MISMATCH" | "TOO_MANY_REQUESTS"
    >();
  });

  it("on the channels have these messages", () => {
    expectTypeOf<RequestEvent>().toEqualTypeOf<{
      operation: Operation;
      status: number | undefined;
      duration: number;
      attempt: number;
    }>();
    expectTypeOf<RetryEvent>().toEqualTypeOf<{
      operation: Operation;
      code: FailureCode;
      attempt: number;
      delay: number;
    }>();
    expectTypeOf<PauseEvent>().toEqualTypeOf<{
      operation: Operation;
      duration: number;
      asked: boolean;
      requestsPerSecond: number | undefined;
    }>();
    expectTypeOf<TokenEvent>().toEqualTypeOf<{ kind: "renewed" | "not stored" | "not renewed" }>();
    expectTypeOf<IrregularEvent>().toEqualTypeOf<{ operation: Operation; path: string; expected: string }>();
  });
});
