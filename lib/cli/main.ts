import { processIo } from "./io.ts";
import { runCommand } from "./run-command.ts";

process.exitCode = await runCommand(process.argv.slice(2), processIo());
// A handle that somebody has left open is no reason to stay.
process.stdout.write("", () => process.exit());
