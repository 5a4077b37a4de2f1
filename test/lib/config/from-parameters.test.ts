import { describe, expect, it } from "vitest";
import { configFromParameters } from "../../../lib/config/from-parameters.ts";
import { problemsIn } from "./support/problems.ts";

const said = JSON.stringify({
  sources: [{ baseUrl: "https://surveys.example.com", startFrom: "2026-01-31", privacy: { ip: "truncate" } }],
  bus: { name: "team.surveys" },
  monitoring: { level: "full" },
});

describe("a configuration from the parameters of a template", () => {
  it("is what they say, with the defaults of everything else", () => {
    const { config, raw } = configFromParameters(said, "{}");
    expect(config).toMatchObject({
      sources: [
        { name: "main", startFrom: "2026-01-31", interval: 60_000, surveys: "all", privacy: { ip: "truncate" } },
      ],
      bus: { name: "team.surveys" },
      monitoring: { level: "full" },
    });
    expect(raw).toMatchObject(JSON.parse(said));
  });

  it("has beside it what they cannot say", () => {
    const more = {
      questions: "labels",
      surveys: { exclude: [7] },
      privacy: { comments: "drop" },
      advanced: { headPages: 3 },
      events: { "survey.changed": true },
    };
    expect(configFromParameters(said, JSON.stringify(more)).config).toMatchObject({
      sources: [
        {
          questions: "labels",
          surveys: { exclude: [7] },
          privacy: { ip: "truncate", comments: "drop", referrer: "keep" },
          headPages: 3,
        },
      ],
      events: { "survey.changed": true, "response.updated": true },
    });
  });

  it.each([
    ["what a template decides", '{ "interval": "5m", "webhooks": [] }', ["interval: cannot be", "webhooks: cannot be"]],
    ["what a parameter says", '{ "privacy": { "ip": "keep" } }', ["privacy.ip: is said by a parameter"]],
    ["a value that the schema refuses", '{ "questions": "hush" }', ["sources[0].questions: must be"]],
    ["a list", "[]", [": must be a JSON object"]],
    ["what is no JSON, without repeating it", '{ "clientSecret": "hush" ', [": must be a JSON object"]],
  ])("refuses %s", (_what, more, expected) => {
    const problems = problemsIn(() => configFromParameters(said, more)).map(
      ({ path, message }) => `${path}: ${message}`,
    );
    expect(problems).toEqual(expected.map((start) => expect.stringContaining(start)));
    expect(problems.join()).not.toContain("hush");
  });
});
