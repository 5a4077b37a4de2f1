import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describeStack, outputsOf } from "../aws/stacks.ts";
import type { SmokeContext } from "../context.ts";
import { runCdk } from "../run/cdk.ts";
import type { AppSettings } from "../settings.ts";

/** Writes down what the app is synthesised from. */
export function writeSettings({ folder, service, deployed }: SmokeContext): void {
  const settings: AppSettings = { service, ...(deployed === undefined ? {} : { deployed }) };
  writeFileSync(join(folder, "settings.json"), JSON.stringify(settings), { mode: 0o600 });
}

/** Deploys one stack of the smoke's app, and takes its outputs down. */
export async function deploy(context: SmokeContext, stack: string, signal: AbortSignal): Promise<void> {
  const { aws, folder } = context;
  writeSettings(context);
  const args = ["deploy", stack, "--exclusively", "--require-approval", "never", "--progress", "events"];
  await runCdk(args, { folder, signal });
  await takeOutputs(context, stack, aws);
}

export async function takeOutputs(
  { outputs }: Pick<SmokeContext, "outputs">,
  stack: string,
  { cloudFormation }: SmokeContext["aws"],
): Promise<void> {
  const found = await describeStack(cloudFormation, stack);
  for (const [name, value] of Object.entries(found === undefined ? {} : outputsOf(found))) outputs.set(name, value);
}
