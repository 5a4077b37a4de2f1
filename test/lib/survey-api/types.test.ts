import { expectTypeOf, it } from "vitest";
import type { FullSurvey, ResponseRecord, SurveyApi } from "../../../lib/survey-api/index.ts";

// Held by the compiler: `tsc --noEmit` fails where one of these does not hold. The calls in `never` are not run.
const never = (_: (api: SurveyApi) => unknown): void => {};

it("a field that was only seen as null may be anything or missing, and whatever else was sent is kept", () => {
  expectTypeOf<ResponseRecord["score"]>().toEqualTypeOf<number | null>();
  expectTypeOf<ResponseRecord["crk"]>().toEqualTypeOf<unknown>();
  expectTypeOf<Omit<ResponseRecord, "crk">>().toExtend<Partial<ResponseRecord>>();
  expectTypeOf<FullSurvey["questionsById"][string]["params"]["answers"]>().toEqualTypeOf<string[]>();
  expectTypeOf<ResponseRecord["somethingNew"]>().toEqualTypeOf<unknown>();
});

it("functions refuse what is wrong", () => {
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
