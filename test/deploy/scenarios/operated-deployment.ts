import assert from "node:assert/strict";
import { join } from "node:path";
import { PutSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { statusAnswer } from "../../../cli/verbs/status/answer.ts";
import { ROOT } from "../support/cdk.ts";
import { type RunResult, run } from "../support/processes.ts";
import { historyGoesOut, subscribed } from "./events-arrive.ts";
import { firstDeployment } from "./first-deployment.ts";
import { type Given, onStage } from "./open-stage.ts";
import { type Deployment, output, type Stage, type Subscribers } from "./stage.ts";

/** What each verb's steps are given. */
export interface Operated {
  stage: Stage;
  deployment: Deployment;
  subscribers: Subscribers;
  /** Runs the command for the stack, and gives what it printed; throws unless it ends with this exit code (0). */
  command: (
    args: readonly string[],
    options?: CommandOptions,
  ) => Promise<RunResult & { json: Record<string, unknown> }>;
}

export interface CommandOptions {
  code?: number;
  input?: string;
  /** Whether it gets `--stack SurveyPoller --json`. Default true. */
  asJson?: boolean;
}

const COMMAND = join(ROOT, "cli", "survey-poller.mjs");

/** A third deployment, for the operator's command: each verb on a stack. */
export function operatedDeployment(given: Given): Promise<void> {
  return onStage(given, "verbs", async (stage) => {
    const { report, simulator } = stage;
    const deployment = await firstDeployment(stage);
    const subscribers = await subscribed(stage, deployment);
    const command = commandOf(stage);
    const on: Operated = { stage, deployment, subscribers, command };
    report.part("Verbs");
    const { clientId, clientSecret } = simulator;
    await stage.aws.secrets.send(
      new PutSecretValueCommand({
        SecretId: output(deployment, "CredentialsSecretName"),
        SecretString: JSON.stringify({ clientId, clientSecret }),
      }),
    );
    await historyGoesOut(stage, deployment, subscribers);
    await statusIsTold(on);
  });
}

function commandOf({ emulator }: Stage): Operated["command"] {
  return async (args, { code = 0, input = "", asJson = true } = {}) => {
    const all = [COMMAND, ...args, ...(asJson ? ["--stack", "SurveyPoller", "--json"] : [])];
    const result = await run(process.execPath, all, { cwd: ROOT, env: emulator.env, limit: 120_000, input });
    assert.equal(result.code, code, `${args.join(" ")}: ${result.stdout}\n${result.stderr}`);
    return {
      ...result,
      json: asJson ? (JSON.parse(result.stdout.split("\n")[0] ?? "") as Record<string, unknown>) : {},
    };
  };
}

async function statusIsTold({ stage: { report, simulator }, command }: Operated): Promise<void> {
  await report.step("status: a verdict, and a line for each survey", async (note) => {
    const { json } = await command(["status"]);
    const { schemaVersion: _, ...answer } = json;
    const status = statusAnswer.parse(answer);
    const truth = simulator.truth().length;
    assert.deepEqual(
      [status.verdict, status.listed, status.accounted],
      ["complete", truth, truth],
      JSON.stringify(status),
    );
    note(status.sentence);
  });
  await report.step("status of a stack that is not there says so", async () => {
    const { stdout } = await command(["status", "--stack", "Nobody", "--json"], { code: 1, asJson: false });
    assert.match(stdout, /STACK_NOT_FOUND/);
  });
}
