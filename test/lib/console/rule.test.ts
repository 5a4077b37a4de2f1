import { expect, it } from "vitest";
import { begun, type Chosen, patternOf, toggled, writtenAs } from "../../../lib/console/page/rule.ts";
import { createMatcher } from "../../../lib/local/aws/event-bridge/matcher.ts";

const nothing: Chosen = new Map();
const npsClass = ["detail", "data", "summary", "nps", "class"];

it("makes a pattern of the values that were pressed, and takes them out again", () => {
  let chosen = toggled(nothing, ["detail-type"], "response.completed");
  chosen = toggled(chosen, npsClass, "detractor");
  chosen = toggled(chosen, npsClass, "passive");
  chosen = toggled(chosen, ["detail", "data", "surveyId"], 103);

  const pattern = patternOf(chosen);
  expect(pattern).toEqual({
    "detail-type": ["response.completed"],
    detail: { data: { summary: { nps: { class: ["detractor", "passive"] } }, surveyId: [103] } },
  });
  const event = {
    "detail-type": "response.completed",
    detail: { data: { surveyId: 103, summary: { nps: { class: "passive" } } } },
  };
  expect(createMatcher(pattern)(event)).toBe(true);
  expect(patternOf(toggled(toggled(chosen, npsClass, "passive"), npsClass, "detractor")).detail).toEqual({
    data: { surveyId: [103] },
  });
});

it("begins without test responses, unless these are asked for", () => {
  const envelope = { detail: { data: { surveyId: 103, summary: { nps: null, test: false } } } };
  const chosen = toggled(begun(envelope), npsClass, "detractor");
  expect(patternOf(chosen)).toEqual({
    detail: { data: { summary: { test: [false], nps: { class: ["detractor"] } } } },
  });
  const test = ["detail", "data", "summary", "test"];
  expect(patternOf(toggled(chosen, test, true)).detail).toMatchObject({ data: { summary: { test: [false, true] } } });
  expect(patternOf(begun({ detail: { data: {} } }))).toEqual({});
});

it("writes it as it is used: JSON, in the CDK, as where, as a webhook", () => {
  const pattern = patternOf(toggled(toggled(nothing, ["detail-type"], "response.completed"), npsClass, "detractor"));
  const where = { data: { summary: { nps: { class: ["detractor"] } } } };

  expect(JSON.parse(writtenAs("JSON", pattern, "response.completed"))).toEqual(pattern);
  expect(JSON.parse(writtenAs("where", pattern, "response.completed"))).toEqual(where);
  expect(JSON.parse(writtenAs("webhook", pattern, "response.completed"))).toMatchObject({
    types: ["response.completed"],
    where,
  });
  expect(writtenAs("CDK", pattern, "response.completed")).toContain(
    'where: {\n    data: {\n      summary: {\n        nps: {\n          class: [\n            "detractor"',
  );
});

it("names the type of the event that is open, where that is not the usual one and none was chosen", () => {
  const pattern = { detail: { data: { surveyId: [102] } } };

  expect(JSON.parse(writtenAs("webhook", pattern, "books.closed"))).toMatchObject({ types: ["books.closed"] });
  expect(writtenAs("CDK", pattern, "books.closed")).toContain('types: [\n    "books.closed"\n  ]');
  expect(JSON.parse(writtenAs("webhook", pattern, "response.completed"))).not.toHaveProperty("types");
});
