import { expect, it } from "vitest";
import { begun, chosenAt, type Pattern, toggled, writtenAs } from "../../../lib/console/page/rule.ts";
import { createMatcher } from "../../../lib/local/aws/event-bridge/matcher.ts";

const npsClass = ["detail", "data", "summary", "nps", "class"];

it("makes a pattern of the values that were pressed, and takes them out again", () => {
  let pattern: Pattern = toggled({}, ["detail-type"], "response.completed");
  pattern = toggled(pattern, npsClass, "detractor");
  pattern = toggled(pattern, npsClass, "passive");
  pattern = toggled(pattern, ["detail", "data", "surveyId"], 103);

  expect(pattern).toEqual({
    "detail-type": ["response.completed"],
    detail: { data: { summary: { nps: { class: ["detractor", "passive"] } }, surveyId: [103] } },
  });
  const event = {
    "detail-type": "response.completed",
    detail: { data: { surveyId: 103, summary: { nps: { class: "passive" } } } },
  };
  expect(createMatcher(pattern)(event)).toBe(true);
  expect(chosenAt(pattern, npsClass)).toEqual(["detractor", "passive"]);
  expect(chosenAt(pattern, ["detail", "meta"])).toEqual([]);
  expect(toggled(toggled(pattern, npsClass, "passive"), npsClass, "detractor").detail).toEqual({
    data: { surveyId: [103] },
  });
});

it("begins without test responses, unless these are asked for", () => {
  const envelope = { detail: { data: { surveyId: 103, summary: { nps: null, test: false } } } };
  const pattern = toggled(begun(envelope), npsClass, "detractor");
  expect(pattern).toEqual({
    detail: { data: { summary: { test: [false], nps: { class: ["detractor"] } } } },
  });
  const test = ["detail", "data", "summary", "test"];
  expect(toggled(pattern, test, true).detail).toMatchObject({ data: { summary: { test: [false, true] } } });
  expect(begun({ detail: { data: {} } })).toEqual({});
});

it("writes it as it is used: JSON, in the CDK, as where, as a webhook", () => {
  const pattern = toggled(toggled({}, ["detail-type"], "response.completed"), npsClass, "detractor");
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
