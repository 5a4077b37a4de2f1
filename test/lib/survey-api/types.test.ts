import { describe, expectTypeOf, it } from "vitest";
import type {
  FullSurvey,
  LearnedRate,
  Order,
  ParametersOf,
  ReportMetric,
  ResponseMetadata,
  ResponseMetric,
  ResponseRecord,
  SurveyApi,
  SurveyApiOptions,
  SurveyListItem,
} from "../../../lib/survey-api/index.ts";

// Held by the compiler: `tsc --noEmit` fails where one of these does not hold. The calls in `never` are not run.
const never = (_: (api: SurveyApi) => unknown): void => {};

it("a client needs a base URL and credentials, and nothing else", () => {
  type Needed = Pick<SurveyApiOptions, "baseUrl" | "credentials">;
  expectTypeOf<Needed>().toExtend<SurveyApiOptions>();
  expectTypeOf<Omit<Needed, "baseUrl">>().not.toExtend<SurveyApiOptions>();
  expectTypeOf<Omit<Needed, "credentials">>().not.toExtend<SurveyApiOptions>();
});

it("resources have the documented types, misspelled names included, and whatever else was sent", () => {
  expectTypeOf<ResponseRecord["answer"]>().toEqualTypeOf<number[]>();
  expectTypeOf<ResponseRecord["score"]>().toEqualTypeOf<number | null>();
  expectTypeOf<ResponseRecord["responseId"]>().toEqualTypeOf<number>();
  expectTypeOf<ResponseRecord["crk"]>().toEqualTypeOf<unknown>();
  expectTypeOf<Omit<ResponseRecord, "crk">>().toExtend<Partial<ResponseRecord>>();
  expectTypeOf<ReportMetric["minPointSum"]>().toEqualTypeOf<number>();
  expectTypeOf<ReportMetric["score"]>().toEqualTypeOf<string>();
  expectTypeOf<ResponseMetric["score"]["nps"]>().toEqualTypeOf<boolean>();
  expectTypeOf<SurveyListItem["created"]>().toEqualTypeOf<number>();
  expectTypeOf<FullSurvey["languageId"]>().toEqualTypeOf<number | null>();
  expectTypeOf<FullSurvey["questionsById"][string]["params"]["answers"]>().toEqualTypeOf<string[]>();
  expectTypeOf<ResponseMetadata["somethingNew"]>().toEqualTypeOf<unknown>();
  expectTypeOf<ResponseMetadata["referrer"]>().toEqualTypeOf<string | null>();
});

it("the learned rate is plain JSON, as the option takes it", () => {
  expectTypeOf<LearnedRate>().toEqualTypeOf<{ requestsPerSecond: number; at: number }>();
  expectTypeOf<SurveyApi["learned"]>().returns.toEqualTypeOf<SurveyApiOptions["learned"]>();
});

describe("functions", () => {
  it("take the parameters of their operation", () => {
    expectTypeOf<ParametersOf<"get survey list">>().toEqualTypeOf<Record<never, never>>();
    type PageAndOrder = ParametersOf<"get survey responses, page and order">;
    expectTypeOf<{ surveyId: number; page: number; order: Order }>().toExtend<PageAndOrder>();
    expectTypeOf<{ surveyId: number }>().not.toExtend<PageAndOrder>();
  });

  it("refuse what is wrong", () => {
    never((api) => [
      // @ts-expect-error: identifiers are integers
      api.survey("7"),
      // @ts-expect-error: a crk is a text
      api.responseByCrk(7, 4711),
      // @ts-expect-error: asc or desc
      api.records(7, { order: "up" }),
      // @ts-expect-error: news or backlog
      api.surveys({ priority: "high" }),
      // @ts-expect-error: there is no order in v2
      api.v2.records(7, { order: "asc" }),
      // @ts-expect-error: there are no metrics in v2
      api.v2.metrics,
      // @ts-expect-error: which survey?
      api.read("get survey", {}),
      // @ts-expect-error: a page is no parameter of operation 6
      api.elements("get survey responses", { surveyId: 7, page: 2 }),
      // @ts-expect-error: a token is got by token()
      api.read("get token", {}),
    ]);
  });
});
