import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Emulator } from "./emulator.ts";
import { type RunResult, run, succeed } from "./processes.ts";

export const ROOT = resolve(import.meta.dirname, "../../..");

export type Outputs = Record<string, string>;

export interface Cdk {
  /** Runs `cdk` with these arguments and throws unless it succeeds. */
  run(...args: string[]): Promise<RunResult>;
  /** Deploys, and gives the outputs of the stack. */
  deploy(...args: string[]): Promise<Outputs>;
  /** What `cdk diff` says, and whether there is a difference. */
  diff(...args: string[]): Promise<{ differs: boolean; text: string }>;
}

/** The CDK's command line on the project's own app, talking to the emulator; what it synthesises goes to a folder of its own. */
export function createCdk({ env }: Emulator, folder: string): Cdk {
  const command = join(ROOT, "node_modules", ".bin", "cdk");
  // Custom resources hang on the emulator, so that no command is waited for without end.
  const options = { cwd: ROOT, env, limit: 90_000 };
  const withOutput = (args: readonly string[]) => [...args, "--output", join(folder, "cdk.out")];
  const outputs = join(folder, "outputs.json");
  return {
    run: (...args) => succeed(command, withOutput(args), options),
    async deploy(...args) {
      await succeed(command, withOutput(["deploy", "--outputs-file", outputs, ...args]), options);
      const { SurveyPoller } = JSON.parse(readFileSync(outputs, "utf8")) as { SurveyPoller: Outputs };
      return SurveyPoller;
    },
    async diff(...args) {
      const { code, stdout, stderr } = await run(command, withOutput(["diff", "--fail", ...args]), options);
      return { differs: code !== 0, text: `${stdout}\n${stderr}` };
    },
  };
}
