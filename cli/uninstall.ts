import { errorCode, oneLine } from "../lib/errors.ts";
import { UsageError } from "./flags.ts";
import { uninstall } from "./uninstall/command.ts";

/** `npm run uninstall`: exit code 0 when all of it is gone, 1 when something stays, 2 when it was called wrongly; then one line says why. */
async function main(): Promise<number> {
  try {
    await uninstall({
      args: process.argv.slice(2),
      terminal: { input: process.stdin, output: process.stderr },
      say: (line) => void process.stdout.write(`${line}\n`),
    });
    return 0;
  } catch (error) {
    process.stderr.write(`${oneLine(error, unexpected)}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

/** Of AWS, most likely: its name and its words say what it did not let happen. */
function unexpected(error: unknown): string {
  const { message = "" } = error as Error;
  return `Not all is removed: ${errorCode(error)}, ${message.split("\n")[0]?.replace(/[.]?$/, ".")} Mend that and run the command again: it goes on with what is left.`;
}

process.exit(await main());
