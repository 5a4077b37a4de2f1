import { oneLine } from "../lib/errors.ts";
import { parseCommandLine, usage } from "./command-line.ts";
import { run } from "./runner/run.ts";

/** `npm start`: exit code 0 when done, 1 with one line on standard error that says what to do. */
async function main(): Promise<number> {
  const stop = new AbortController();
  let first = 0;
  const interrupted = (): void => {
    first ||= Date.now();
    // The second time the user means it; but one Ctrl-C under npm arrives twice, from the terminal and from npm.
    if (Date.now() - first > 1_000) process.exit(130);
    stop.abort();
  };
  process.on("SIGINT", interrupted);
  process.on("SIGTERM", interrupted);
  try {
    const line = parseCommandLine(process.argv.slice(2));
    if (line.clientSecret !== undefined) process.stderr.write(SEEN_BY_ALL);
    if (line.help) process.stdout.write(usage);
    else await run({ line, environment: process.env, stop: stop.signal });
    return 0;
  } catch (error) {
    process.stderr.write(`${oneLine(error, unexpected)}\n`);
    return 1;
  }
}

const SEEN_BY_ALL =
  "Warning: --client-secret stands in npm's output and log, and in the list of processes. Set SURVEY_CLIENT_SECRET in the environment instead.\n";

function unexpected(error: unknown): string {
  return `survey-poller stopped: unexpected ${error instanceof Error ? `${error.name}: ${error.message}` : "failure"}`;
}

process.exit(await main());
