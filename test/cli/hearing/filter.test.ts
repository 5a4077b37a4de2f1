import { describe, expect, it } from "vitest";
import { patternOf, readFilter } from "../../../cli/hearing/filter.ts";
import { survey } from "../support/command.ts";

describe("a filter", () => {
  it.each([
    ['{"detail":{"data":{"surveyId":[103]}}}', { detail: { data: { surveyId: [103] } } }],
    ["surveyId=103,104", { detail: { data: { surveyId: [103, 104] } } }],
    ["nps=detractor,passive", { detail: { data: { summary: { nps: { class: ["detractor", "passive"] } } } } }],
    [
      "meta.complete=false response.crk=null",
      { detail: { meta: { complete: [false] }, data: { response: { crk: [null] } } } },
    ],
    ["response.crk=17", { detail: { data: { response: { crk: ["17"] } } } }],
    ["type=books.closed surveyId=7", { "detail-type": ["books.closed"], detail: { data: { surveyId: [7] } } }],
    [
      '{"detail-type":["response.deleted"],"detail":{"data":{"lastEventId":[{"prefix":"a"}]}}}',
      { "detail-type": ["response.deleted"], detail: { data: { lastEventId: [{ prefix: "a" }] } } },
    ],
  ])("%s", (text, filter) => {
    expect(readFilter(text)).toEqual(filter);
  });

  it("is for events of the poller's own sources", () => {
    expect(patternOf({ "detail-type": ["books.closed"] }, ["eu", "us", "eu"])).toEqual({
      source: ["eu", "us"],
      "detail-type": ["books.closed"],
    });
  });

  it.each([
    ['{"detail":{"data":{"survyId":["hunter2"]}}}', 'detail.data.survyId unknown field, did you mean "surveyId"?'],
    ['{"detail":{"data":{"surveyId":["hunter2"]}}}', "detail.data.surveyId[0] can never match"],
    ['{"detail":{"data":{"surveyId":[]}}}', "detail.data.surveyId must hold at least one alternative"],
    ['{"detail":{"data":{"surveyId":7}}}', "detail.data.surveyId must be a list"],
    [
      '{"detail":{"data":{"lastEventId":["hunter2"]}},"detail-type":["books.closed"]}',
      "detail.data.lastEventId unknown",
    ],
    ['{"detail": hunter2', "--filter is not JSON"],
    ['{"detail" "hunter2"}', "--filter is not JSON"],
    ['{"data":{"surveyId":[1]}}', "data stands in detail"],
    ['{"detailtype":["hunter2"]}', 'unknown field "detailtype", did you mean "detail-type"?'],
    ['{"detail-type":["hunter2"]}', "detail-type must be a list of types"],
    ["{}", "names no field"],
    ["hunter2", "neither JSON nor pairs"],
    ["nps=hunter2", "nps must be out of promoter, passive, detractor"],
    ["surveyId=1 surveyId=2", "surveyId is given twice"],
    ["hunter=2", "detail.data.hunter unknown field"],
    [`response.crk=${"x".repeat(2_100)}`, "EventBridge takes 2048"],
  ])("%s is wrong: it is said where, before anything is opened", async (text, said) => {
    const ran = await survey(["tail", "--data", "/nowhere", "--filter", text]);
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toContain(said);
    expect(ran.stderr).not.toContain("hunter2");
  });
});
