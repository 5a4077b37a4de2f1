import { errorCode, oneLine } from "../lib/errors.ts";
import { fillCredentials } from "./credentials/command.ts";

/** `npm run credentials`: exit code 0 when they are written, 1 with one line on standard error that says what to do. */
async function main(): Promise<number> {
  try {
    await fillCredentials({
      args: process.argv.slice(2),
      environment: process.env,
      terminal: { input: process.stdin, output: process.stderr },
      say: (line) => void process.stdout.write(`${line}\n`),
    });
    return 0;
  } catch (error) {
    process.stderr.write(`${oneLine(error, unexpected)}\n`);
    return 1;
  }
}

/** Its message might repeat what was typed. */
function unexpected(error: unknown): string {
  return `Nothing was written: unexpected ${errorCode(error)}.`;
}

process.exit(await main());
