import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { refuse } from "../../../cli/verbs/uninstall/allowed.ts";
import type { Inventory } from "../../../cli/verbs/uninstall/found.ts";
import { inventoryLines, strangersIn } from "../../../cli/verbs/uninstall/say.ts";
import { survey } from "../support/command.ts";

const NOTHING: Inventory = {
  stack: undefined,
  buses: [],
  rules: [],
  archives: [],
  tables: [],
  buckets: [],
  secrets: [],
};

function stackOf(...resources: [logicalId: string, type: string, physicalId?: string][]): Inventory {
  const found = resources.map(([LogicalResourceId, ResourceType, PhysicalResourceId]) => ({
    LogicalResourceId,
    ResourceType,
    PhysicalResourceId,
    LastUpdatedTimestamp: new Date(0),
    ResourceStatus: "CREATE_COMPLETE" as const,
  }));
  return { ...NOTHING, stack: { name: "Eu", id: "arn:eu", isProtected: true, resources: found } };
}

describe("called wrongly", () => {
  it.each([
    [["--yes"], "option '--yes <name>' argument missing"],
    [["--stack", "my stack"], "it must be the name of a stack"],
    [["--force"], "unknown option '--force'"],
    [["SurveyPoller"], "too many arguments"],
    [["--yes", "AnotherStack"], "--yes has another name than --stack. Nothing was removed."],
  ])("%j ends with exit code 2, before AWS is asked for anything", async (args, message) => {
    const ran = await survey(["uninstall", ...args]);
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toContain(message);
  });
});

it("without an AWS that answers removes nothing, and says what to look at", () => {
  const AWS = { AWS_REGION: "us-east-1", AWS_ACCESS_KEY_ID: "local", AWS_SECRET_ACCESS_KEY: "local" };
  const { status, stdout, stderr } = spawnSync(process.execPath, ["cli/bin/survey-poller.mjs", "uninstall"], {
    encoding: "utf8",
    // Nobody listens there.
    env: { ...AWS, PATH: process.env.PATH, AWS_ENDPOINT_URL: "http://127.0.0.1:1", AWS_MAX_ATTEMPTS: "1" },
  });
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  expect(stderr).toMatch(/^nothing was removed: AWS cannot be asked what is there \(ECONNREFUSED.*Set AWS_REGION.*\n$/);
});

it("without AWS credentials is told so by its exit code", () => {
  const { status, stderr } = spawnSync(process.execPath, ["cli/bin/survey-poller.mjs", "uninstall", "--json"], {
    encoding: "utf8",
    env: { PATH: process.env.PATH, AWS_REGION: "us-east-1", AWS_EC2_METADATA_DISABLED: "true", HOME: "/nonexistent" },
  });
  expect({ status, stderr }).toEqual({ status: 4, stderr: "" });
});

describe("what is there", () => {
  it("is named in a line each, with what is in it and whose it is", () => {
    const found: Inventory = {
      ...stackOf(["PollerPoll1", "AWS::Lambda::Function"], ["PollerPollLogs1", "AWS::Logs::LogGroup", "Eu-Logs-1"]),
      buses: ["surveys"],
      rules: [{ bus: "surveys", name: "crm" }],
      archives: [
        { name: "Eu-PollerArchive1", isOwn: true, holds: "7 events" },
        { name: "audit", isOwn: false, holds: "9 events" },
      ],
      tables: [{ name: "Eu-PollerTable1", holds: "about 12 items" }],
      buckets: [{ name: "eu-pollerclaimcheck1", holds: "0 objects" }],
      secrets: ["Eu/main/token"],
    };
    expect(inventoryLines(found)).toEqual([
      "stack Eu: 2 resources, protected against termination",
      "log group Eu-Logs-1",
      "secret Eu/main/token",
      "bus surveys",
      "rule crm on bus surveys, made by others",
      "archive Eu-PollerArchive1: 7 events",
      "archive audit: 9 events, made by others",
      "table Eu-PollerTable1: about 12 items, and its backups of the last 35 days",
      "bucket eu-pollerclaimcheck1: 0 objects",
    ]);
  });

  it("may be nothing", () => {
    expect(inventoryLines(NOTHING)).toEqual([]);
  });
});

describe("an uninstallation is refused", () => {
  const line = { stack: "Eu", withRules: false };
  const rules = [{ bus: "surveys", name: "crm" }];
  const archives = [{ name: "audit", isOwn: false, holds: "9 events" }];

  it("while others have rules or archives on the bus, unless these are to go as well", () => {
    const found = { ...NOTHING, buses: ["surveys"], rules, archives };
    expect(() => refuse(found, line)).toThrow("others subscribe to the bus (rule crm, archive audit)");
    expect(() => refuse(found, { ...line, withRules: true })).not.toThrow();
  });

  it("where the stack holds more than the poller, whatever else is said", () => {
    const found = stackOf(["PollerPoll1", "AWS::Lambda::Function"], ["Orders", "AWS::DynamoDB::Table"]);
    expect(strangersIn(found)).toEqual(["Orders"]);
    expect(() => refuse(found, { ...line, withRules: true })).toThrow("holds more than the poller (Orders)");
    expect(() => refuse(stackOf(["CDKMetadata", "AWS::CDK::Metadata"]), line)).not.toThrow();
  });
});
