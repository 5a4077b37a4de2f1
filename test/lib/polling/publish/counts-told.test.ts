import { expect, it } from "vitest";
import { surveyCounts } from "../../../../lib/events/build/survey.ts";
import { areNews } from "../../../../lib/polling/publish/tell.ts";
import { noon } from "../../../support/survey.ts";

// R20
it("counts that the list shows as text are numbers, and those that cannot be read are null", () => {
  expect(surveyCounts({ impressions: "480", opened: 96, responses: "many" })).toEqual({
    impressions: 480,
    opened: 96,
    responses: null,
  });
});

it("a survey without any count that can be read is not told of", () => {
  const none = { impressions: null, opened: null, responses: null };
  expect(areNews(none, undefined, noon)).toBe(false);
  expect(areNews({ ...none, opened: 1 }, undefined, noon)).toBe(true);
});
