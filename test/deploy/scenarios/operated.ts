import assert from "node:assert/strict";
import { join } from "node:path";
import { ListRulesCommand } from "@aws-sdk/client-eventbridge";
import type { Aws } from "../support/aws.ts";
import { ROOT } from "../support/cdk.ts";
import { type RunResult, run } from "../support/processes.ts";
import type { Deployment, Stage, Subscribers } from "./stage.ts";

/** What each verb's steps are given. */
export interface Operated {
  stage: Stage;
  deployment: Deployment;
  subscribers: Subscribers;
  /** Runs the command for the stack, and gives what it printed; throws unless it ends with this exit code (0). */
  command: Command;
}

export type Command = (args: readonly string[], options?: CommandOptions) => Promise<RunResult & { json: unknown }>;

export interface CommandOptions {
  code?: number;
  input?: string;
  /** Whether it is `--json` and for the stack. Default true. */
  asJson?: boolean;
  env?: Record<string, string>;
  interruptWhen?: () => Promise<boolean>;
}

export const COMMAND = join(ROOT, "cli", "bin", "survey-poller.mjs");

/** Runs the command for the stack. */
export function commandOf({ emulator }: Stage): Command {
  return async (args, { code = 0, input = "", asJson = true, env = {}, ...more } = {}) => {
    const all = [COMMAND, ...args, ...(asJson ? ["--stack", "SurveyPoller", "--json"] : [])];
    const given = { cwd: ROOT, env: { ...emulator.env, ...env }, limit: 120_000, input, ...more };
    const result = await run(process.execPath, all, given);
    assert.equal(result.code, code, `${args.join(" ")}: ${result.stdout}\n${result.stderr}`);
    return { ...result, json: asJson ? withoutVersion(result.stdout) : undefined };
  };
}

/** The last document that was printed. */
function withoutVersion(stdout: string): unknown {
  const { schemaVersion, ...answer } = JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as Record<string, unknown>;
  assert.equal(schemaVersion, 1);
  return answer;
}

/** How many temporary rules there are on the bus. */
export async function tailRules({ events }: Aws, bus: string): Promise<number> {
  const { Rules = [] } = await events.send(new ListRulesCommand({ EventBusName: bus }));
  return Rules.filter(({ Name = "" }) => Name.startsWith("survey-poller-tail")).length;
}
