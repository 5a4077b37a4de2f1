import assert from "node:assert/strict";
import { join } from "node:path";
import { ListRulesCommand } from "@aws-sdk/client-eventbridge";
import { ROOT } from "./cdk.ts";
import { run } from "./processes.ts";
import { type Deployed, output, type Stage } from "./stage.ts";

export const COMMAND = join(ROOT, "lib", "cli", "bin", "survey-poller.mjs");

/** An answer of the command, without the version of its schema. */
export type Answer = Record<string, unknown>;

export interface Ending {
  /** Its exit code; default 0. */
  code?: number;
  /** What it reads from standard input. */
  input?: string;
  env?: Record<string, string>;
}

/**
 * Runs the command for the stack with `--json`, and gives its answer. Throws unless it ends as it should, and where it shows the secret.
 *
 * @param line is split at spaces
 */
export async function survey(
  on: Stage,
  line: string,
  { code = 0, input = "", env = {} }: Ending = {},
): Promise<Answer> {
  const stack = line.includes("--stack") ? [] : ["--stack", "SurveyPoller"];
  const args = [COMMAND, ...line.split(" "), ...stack, "--json"];
  const options = { cwd: on.folder, env: { ...on.emulator.env, ...env }, limit: 120_000, input };
  const result = await run(process.execPath, args, options);
  assert.equal(result.code, code, `${line}: ${result.stdout}\n${result.stderr}`);
  assert.ok(!`${result.stdout}${result.stderr}`.includes(on.simulator.clientSecret), "the secret is shown");
  return answerOf(result.stdout);
}

/** The last document that was printed. */
export function answerOf(stdout: string): Answer {
  const { schemaVersion, ...answer } = JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as Answer;
  assert.equal(schemaVersion, 1);
  return answer;
}

/** Whether a command listens: it has a temporary rule on the bus. */
export async function isListening(on: Deployed): Promise<boolean> {
  const { Rules = [] } = await on.aws.events.send(new ListRulesCommand({ EventBusName: output(on, "BusName") }));
  return Rules.some(({ Name = "" }) => Name.startsWith("survey-poller-tail"));
}
