import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { masked } from "../../../cli/hearing/event.ts";

const golden = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(`contract/golden/${name}.json`, "utf8"));

describe.each([null, "•••"])("with %s", (mask) => {
  it("leaves nothing of the person and of what it answered", () => {
    const text = JSON.stringify(masked(golden("comment"), mask));

    expect(text).not.toMatch(/customer-1042|203\.0\.113|shop\.example|Firefox|The coffee was cold|"Polish"/);
    expect(text).toMatch(/"responseId":46376/);
    expect(text).toMatch(/"questionId":421997/);
  });
});

it("shows what is empty as empty", () => {
  const event = { detail: { meta: {}, data: { response: { crk: null, country: "PL" }, metadata: null, answers: [] } } };

  expect(masked(event, "•••")).toEqual({
    detail: { meta: {}, data: { response: { crk: null, country: "•••" }, metadata: null, answers: [] } },
  });
});
