import { processStop } from "../cli/io.ts";
import { errorCode } from "../errors.ts";
import { parseCommandLine, usage } from "./command-line.ts";
import { causeOf, run } from "./runner/run.ts";

/** `npm start`: exit code 0 when done, 1 with one line on standard error that says what to do. */
async function main(): Promise<number> {
  // The thread in which esbuild bundles would stay, with a tenth of the memory of a run. esbuild reads this when it is loaded.
  process.env.ESBUILD_WORKER_THREADS = "0";
  const stop = processStop();
  try {
    const line = parseCommandLine(process.argv.slice(2));
    if (line.clientSecret !== undefined) process.stderr.write(SEEN_BY_ALL);
    if (line.help) process.stdout.write(usage);
    else await run(line, process.env, stop.signal);
    return 0;
  } catch (thrown) {
    let error = thrown;
    // What fails in closing after a failure is not its cause.
    while (error instanceof SuppressedError) error = error.suppressed;
    // Whoever read the events has seen enough, as `head` does.
    if (error instanceof Error && errorCode(error.cause) === "EPIPE") return 0;
    process.stderr.write(`${causeOf(error)}\n`);
    return 1;
  }
}

const SEEN_BY_ALL =
  "Warning: --client-secret stands in npm's output and log, and in the list of processes. Set SURVEY_CLIENT_SECRET in the environment instead.\n";

process.exit(await main());
