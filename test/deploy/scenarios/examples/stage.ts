import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Outputs } from "../../support/cdk.ts";
import type { ExamplesCheckout } from "../../support/examples-checkout.ts";
import { shell, succeed } from "../../support/processes.ts";
import { readBlocks } from "../../support/read-steps.ts";
import type { Report } from "../../support/report.ts";
import type { Subscription } from "../../support/subscription.ts";
import { type Deployment, output, type Stage } from "../stage.ts";

/** The stage of all examples: one deployed poller, whose history has gone out. */
export interface ExampleStage {
  report: Report;
  stage: Stage;
  /** Of the poller. */
  deployment: Deployment;
  /** A survey of this example alone, so that examples can be tried at the same time. */
  surveyId: number;
  /** Hears every `response.completed` of all surveys. */
  everything: Subscription;
  checkout: ExamplesCheckout;
}

/** What differs from the README's commands. */
export interface DeployOptions {
  /** Of the commands. Default "## Deploy". */
  heading?: string;
  /** What stands for a name of the reader's own, and that name. */
  replace?: readonly (readonly [placeholder: string, name: string])[];
  /** Added to the last command, such as `-c withComment=true`. */
  more?: string;
  /** What is typed at the commands' questions. */
  input?: string;
  env?: Record<string, string>;
}

/** A deployed example. */
export interface DeployedExample {
  outputs: Outputs;
  /** By `npx cdk destroy`, which does not ask whether it is sure, and does not synthesise again. */
  destroy(): Promise<void>;
}

/** Deploys an example from a copy of its folder, by the commands of its README. */
export async function deployExample(
  on: ExampleStage,
  name: string,
  { heading = "## Deploy", replace = [], more = "", input = "", env = {} }: DeployOptions = {},
): Promise<DeployedExample> {
  const cwd = on.checkout.copy(name);
  const [block] = readBlocks(readFileSync(join(cwd, "README.md"), "utf8"), heading);
  if (block === undefined) throw new Error(`the README of ${name} has no commands below "${heading}"`);
  const options = { cwd, env: { ...on.stage.emulator.env, ...env }, limit: 120_000, input };
  // The packages lie there already.
  let script = block.code.replace(/^npm install.*\n/m, "").trimEnd();
  for (const [placeholder, text] of replace) {
    if (!script.includes(placeholder)) throw new Error(`the README of ${name} has no ${placeholder}`);
    script = script.replaceAll(placeholder, text);
  }
  const out = `cdk.out.${heading.replaceAll(/\W/g, "")}`;
  await shell(`${script} ${more} --output ${out} --outputs-file ${out}.json`, options);
  const all = JSON.parse(readFileSync(join(cwd, `${out}.json`), "utf8")) as Record<string, Outputs>;
  return {
    outputs: Object.assign({}, ...Object.values(all)) as Outputs,
    destroy: async () => void (await succeed("npx", ["cdk", "destroy", "--all", "--force", "--app", out], options)),
  };
}

/** Milliseconds. A few ticks on a busy machine take that long. */
const LIMIT = 60_000;

/** Starts a tick and looks, until it is so. Another tick may be at work: then this one does nothing. */
export async function untilAfterTicks(
  { stage: { aws }, deployment }: ExampleStage,
  otherwise: string,
  isSo: () => Promise<boolean>,
): Promise<void> {
  for (const end = Date.now() + LIMIT; ; await pause(200)) {
    await aws.invoke(output(deployment, "PollFunctionName"));
    if (await isSo()) return;
    assert.ok(Date.now() < end, otherwise);
  }
}

/** An output of the example's stack; throws when it has none of that name. */
export function exampleOutput({ outputs }: DeployedExample, name: string): string {
  const value = outputs[name];
  if (value === undefined) throw new Error(`there is no output ${name}, only ${Object.keys(outputs).join(", ")}`);
  return value;
}
