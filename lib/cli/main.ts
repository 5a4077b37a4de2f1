import { processIo } from "./io.ts";
import { runCommand } from "./run-command.ts";

process.exitCode = await runCommand(process.argv.slice(2), processIo());
// A handle that somebody has left open is no reason to stay.
// What standard output could not take is told first.
process.stdout.write("", () => setImmediate(() => process.exit()));
