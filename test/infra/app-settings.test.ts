import { App } from "aws-cdk-lib";
import { describe, expect, it } from "vitest";
import { appSettings } from "../../infra/app-settings.ts";
import { ConfigError } from "../../lib/config/index.ts";

function settings(context: object, environment: NodeJS.ProcessEnv = {}): ReturnType<typeof appSettings> {
  return appSettings(new App({ context: { ...context } }).node, environment);
}

describe("the settings of the app", () => {
  const environment = { CDK_DEFAULT_ACCOUNT: "111111111111", CDK_DEFAULT_REGION: "eu-west-1" };

  it("are by default a stack that may be deleted, for whatever account and region the command line works with", () => {
    expect(settings({}, environment)).toEqual({
      stackName: "SurveyPoller",
      env: { account: "111111111111", region: "eu-west-1" },
      tags: {},
      memory: undefined,
      tracing: undefined,
      onRemoval: undefined,
      terminationProtection: undefined,
    });
  });

  it("leave account and region open where nobody tells them: a synthesis needs no credentials", () => {
    expect(settings({}).env).toEqual({ account: undefined, region: undefined });
  });

  const wanted = {
    stackName: "Surveys-Eu",
    env: { account: "210987654321", region: "us-gov-west-1" },
    tags: { team: "research", "cost-center": "42" },
    memory: 1024,
    tracing: true,
    onRemoval: "destroy",
    terminationProtection: false,
  };

  it("are what cdk.json says", () => {
    const { env, ...rest } = wanted;
    expect(settings({ ...env, ...rest }, environment)).toEqual(wanted);
  });

  it("are what -c key=value says, where all is text", () => {
    const given = {
      stackName: "Surveys-Eu",
      account: "210987654321",
      region: "us-gov-west-1",
      tags: "team=research,cost-center=42",
      memory: "1024",
      tracing: "true",
      onRemoval: "destroy",
      terminationProtection: "false",
    };
    expect(settings(given)).toEqual(wanted);
  });

  it.each([
    [{ stackName: "my stack" }, "stackName"],
    [{ account: "12345" }, "account"],
    [{ region: "Ireland" }, "region"],
    [{ tags: "team" }, "tags"],
    [{ tags: { team: 1 } }, "tags"],
    [{ tags: "aws:team=research" }, "tags"],
    [{ tags: "team=Research & Development" }, "tags"],
    [{ tags: { team: "x".repeat(257) } }, "tags"],
    [{ memory: "lots" }, "memory"],
    [{ memory: 64 }, "memory"],
    [{ tracing: "yes" }, "tracing"],
    [{ onRemoval: "delete" }, "onRemoval"],
    [{ terminationProtection: "no" }, "terminationProtection"],
  ])("%j is refused by its name", (context, path) => {
    expect(() => settings(context)).toThrow(ConfigError);
    expect(() => settings(context)).toThrow(`${path}: must be`);
  });
});
