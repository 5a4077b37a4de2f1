import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Emulator } from "./emulator.ts";
import { run, succeed } from "./processes.ts";

export const ROOT = resolve(import.meta.dirname, "../../..");

export type Outputs = Record<string, string>;

export type Cdk = ReturnType<typeof createCdk>;

/** The CDK's command line on the project's own app, talking to the emulator; what it synthesises goes to a folder of its own. */
export function createCdk({ env }: Emulator, folder: string) {
  const command = join(ROOT, "node_modules", ".bin", "cdk");
  // Custom resources hang on the emulator, so that no command is waited for without end.
  const options = { cwd: ROOT, env, limit: 90_000 };
  const withOutput = (args: readonly string[]) => [...args, "--output", join(folder, "cdk.out")];
  const outputs = join(folder, "outputs.json");
  return {
    /** Runs `cdk` with these arguments and throws unless it succeeds. */
    run: (...args: string[]) => succeed(command, withOutput(args), options),
    /** Deploys, and gives the outputs of the stack. */
    async deploy(...args: string[]): Promise<Outputs> {
      await succeed(command, withOutput(["deploy", "--outputs-file", outputs, ...args]), options);
      const { SurveyPoller } = JSON.parse(readFileSync(outputs, "utf8")) as { SurveyPoller: Outputs };
      return SurveyPoller;
    },
    /** What it says, and whether there is a difference. */
    async diff(...args: string[]) {
      const { code, stdout, stderr } = await run(command, withOutput(["diff", "--fail", ...args]), options);
      return { differs: code !== 0, text: `${stdout}\n${stderr}` };
    },
  };
}
