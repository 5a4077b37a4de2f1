import { readFileSync } from "node:fs";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { bundleFunction } from "../../infra/bundle.ts";
import { writeTemplate } from "../../infra/package/template.ts";
import { parseConfig } from "../../lib/config/index.ts";
import { synthesize } from "./support/synthesize.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

interface Parameter {
  Default?: string;
  AllowedPattern?: string;
  AllowedValues?: string[];
}

interface Template {
  Parameters: Record<string, Parameter>;
  Resources: Record<string, { Type: string; Condition?: string }>;
  Outputs: Record<string, unknown>;
}

const [folder, code] = [temporaryFolder(), temporaryFolder()];
bundleFunction("poll", code);
writeTemplate(folder, code);
const text = readFileSync(join(folder, "survey-poller.template.json"), "utf8");
const template = JSON.parse(text) as Template;

function takes(name: string, value: string): boolean {
  const { AllowedPattern, AllowedValues } = template.Parameters[name] ?? {};
  return AllowedValues?.includes(value) ?? new RegExp(AllowedPattern ?? "^$").test(value);
}

/** Whether the schema takes what the parameter stands for. */
function isValid(source: object, others: object = {}): boolean {
  try {
    parseConfig({ sources: [{ baseUrl: "https://surveys.example.com", ...source }], ...others }, { deployed: true });
    return true;
  } catch {
    return false;
  }
}

const FIELDS: Record<string, (value: string) => boolean> = {
  BaseUrl: (baseUrl) => isValid({ baseUrl }),
  TimeZone: (timeZone) => timeZone === "" || isValid({ timeZone }),
  StartFrom: (startFrom) => isValid({ startFrom }),
  Surveys: (value) => value === "all" || isValid({ surveys: { include: value.split(",").map(Number) } }),
  PrivacyIp: (ip) => isValid({ privacy: { ip } }),
  Monitoring: (level) => isValid({}, { monitoring: { level } }),
  AlarmEmail: (email) => email === "" || isValid({}, { monitoring: { email } }),
  BusName: (name) => isValid({}, { bus: { name } }),
};

describe("the template for those without the CDK", () => {
  it("has the resources and outputs of the construct, and no others", () => {
    const own = synthesize({
      sources: [{ baseUrl: "https://surveys.example.com" }],
      monitoring: { level: "full", email: "ops@example.com" },
    }).toJSON() as Template;
    const typesOf = ({ Resources }: Template) =>
      Object.entries(Resources)
        .map(([id, { Type }]) => `${id} ${Type}`)
        .sort();
    expect(typesOf(template)).toEqual(typesOf(own));
    expect(Object.keys(template.Outputs).sort()).toEqual(Object.keys(own.Outputs).sort());
  });

  it("leaves out of it only the mail and the dashboard, by parameters", () => {
    const conditional = Object.values(template.Resources).filter(({ Condition }) => Condition !== undefined);
    expect(conditional.map(({ Type, Condition }) => `${Type} ${Condition}`).sort()).toEqual([
      "AWS::CloudWatch::Dashboard HasDashboard",
      "AWS::SNS::Subscription HasAlarmEmail",
    ]);
  });

  it("names nothing of the synthesis: bucket, account, stack or bus", () => {
    expect(text).not.toMatch(/NameOfThe|cdk-|assets|ops@example/);
  });

  it("is the same each time, the function's zip included", () => {
    const [again, codeAgain] = [temporaryFolder(), temporaryFolder()];
    bundleFunction("poll", codeAgain);
    writeTemplate(again, codeAgain);
    for (const name of ["survey-poller.template.json", "kept.template.json", "poll.zip", "main.tf"])
      expect(readFileSync(join(again, name)).equals(readFileSync(join(folder, name)))).toBe(true);
  });

  it("comes with the function, which has no configuration of its own", () => {
    const names = Object.keys(unzipSync(readFileSync(join(folder, "poll.zip"))));
    expect(names).toContain("index.mjs");
    expect(names).not.toContain("config.json");
  });

  it("comes with the template of what is kept", () => {
    const kept = JSON.parse(readFileSync(join(folder, "kept.template.json"), "utf8")) as Template;
    const types = Object.values(kept.Resources).map(({ Type }) => Type);
    expect(types.sort()).toEqual([
      "AWS::DynamoDB::Table",
      "AWS::Events::Archive",
      "AWS::Events::EventBus",
      "AWS::S3::Bucket",
    ]);
    for (const [id, resource] of Object.entries(kept.Resources)) expect(template.Resources[id]).toEqual(resource);
  });
});

describe("the parameters", () => {
  it.each([
    ["BaseUrl", "https://surveys.example.com", "https://surveys.example.com:8443/eu", "http://127.0.0.1:8080"],
    ["TimeZone", "", "UTC", "Europe/Warsaw", "America/Argentina/Buenos_Aires", "Etc/GMT+5"],
    ["StartFrom", "now", "beginning", "2026-01-31"],
    ["Surveys", "all", "101", "101,102"],
    ["PrivacyIp", "keep", "truncate", "drop"],
    ["Monitoring", "minimal", "full"],
    ["AlarmEmail", "", "ops@example.com", "ops+surveys@mail.example.co.uk"],
    ["BusName", "survey-poller", "team.surveys"],
  ])("%s takes what the configuration takes: %s …", (name, ...values) => {
    for (const value of [...values, template.Parameters[name]?.Default ?? values[0] ?? ""])
      expect([value, takes(name, value), FIELDS[name]?.(value)]).toEqual([value, true, true]);
  });

  it.each([
    [
      "BaseUrl",
      "http://surveys.example.com",
      "surveys.example.com",
      "https://a:b@surveys.example.com",
      "https://a.example.com?q=1",
      'https://a"',
      "",
    ],
    ["TimeZone", "+02:00", "Europe/War saw", '"'],
    ["StartFrom", "yesterday", "2026-13-01", "2026-01-32", ""],
    ["Surveys", "0", "101, 102", "101,", "all,1", "-1", ""],
    ["PrivacyIp", "hide", ""],
    ["Monitoring", "basic", ""],
    ["AlarmEmail", "ops", "ops@example", "a b@example.com"],
    ["BusName", "default", "aws.events", "a b", ""],
    ["MoreConfiguration", "/surveys/more", "a:b", "a}}:1"],
  ])("%s refuses %s and the like", (name, ...values) => {
    expect(values.filter((value) => takes(name, value))).toEqual([]);
  });
});
