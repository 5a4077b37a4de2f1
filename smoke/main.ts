import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { UsageError } from "../cli/errors.ts";
import { createClients } from "./aws/clients.ts";
import { checks } from "./checks/index.ts";
import { cleanUp } from "./clean-up.ts";
import { createContext } from "./context.ts";
import { EMULATOR_LACKS } from "./emulator.ts";
import { NAMES } from "./names.ts";
import { type Options, readOptions, USAGE } from "./options.ts";
import type { Need } from "./run/check.ts";
import { only, runChecks, type Totals } from "./run/runner.ts";

/** Milliseconds between two looks at what is awaited: AWS counts requests, the emulator does not. */
const EVERY = { aws: 5_000, emulator: 300 };
/** Milliseconds after which a second Ctrl-C is meant. */
const MEANT_AFTER = 1_000;

// At once: a check that was given up at its deadline may still wait for an answer.
process.exit(await main(process.argv.slice(2)).catch(toldFailure));

function toldFailure(error: unknown): number {
  console.error(error instanceof Error ? error.message : String(error));
  if (error instanceof UsageError) console.error(error.hint);
  return 1;
}

async function main(args: string[]): Promise<number> {
  const options = readOptions(args);
  if (options.help) {
    console.log(USAGE);
    return 0;
  }
  if (options.list) {
    for (const { name } of checks) console.log(name);
    return 0;
  }
  checkEndpoint(options);
  const chosen = options.only === undefined ? checks : only(checks, options.only);
  const region = await checkCredentials();
  const interrupted = listenForInterrupts();
  if (options.clean) return (await removeAll(options)) === 0 ? 0 : 1;
  // What an earlier run has left has the same names, and another origin.
  if ((await removeAll(options)) > 0) return 1;
  console.log(`${region}: ${chosen.length} checks; what is deployed for them is named ${NAMES.pollerStack}…`);
  const totals: Totals = { passed: 0, failed: 0, skipped: 0 };
  const folder = mkdtempSync(join(tmpdir(), "survey-poller-smoke-"));
  const context = createContext(options, createClients(), folder, Date.now());
  try {
    Object.assign(
      totals,
      await runChecks({
        checks: chosen,
        context,
        lacks: (need) => lacks(options, need),
        signal: interrupted,
        every: everyOf(options),
        print: console.log,
      }),
    );
  } finally {
    if (options.keep) console.log('kept: "npm run smoke -- --clean" removes what was made');
    else totals.failed += (await removeAll(options)) === 0 ? 0 : 1;
    await context.loopback?.close();
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
  if (interrupted.aborted) return 130;
  return totals.failed === 0 ? 0 : 1;
}

/** @throws UsageError when what answers is not what it is taken for */
function checkEndpoint({ emulator }: Options): void {
  const endpoint = process.env.AWS_ENDPOINT_URL;
  if (!emulator && endpoint !== undefined) {
    throw new UsageError("AWS_ENDPOINT_URL is set: what answers there is not AWS", {
      hint: "Unset it, or give --emulator: then what an emulator cannot show is skipped.",
    });
  }
  if (emulator && endpoint === undefined) {
    throw new UsageError("--emulator without AWS_ENDPOINT_URL would take AWS for an emulator", {
      hint: "Set AWS_ENDPOINT_URL, or leave --emulator out.",
    });
  }
}

/**
 * Gives the region.
 *
 * @throws UsageError before anything is asked of AWS, when nothing says who asks and where
 */
async function checkCredentials(): Promise<string> {
  const { config } = createClients().cloudFormation;
  try {
    await config.credentials();
    return await config.region();
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), {
      hint: 'Set credentials and region in the environment, such as AWS_PROFILE and AWS_REGION, as for "cdk deploy".',
    });
  }
}

function lacks({ emulator, otherProfile }: Options, need: Need): string | undefined {
  if (need === "second account" && otherProfile === undefined) return "no second account: --other-profile NAME";
  return emulator ? EMULATOR_LACKS[need] : undefined;
}

function everyOf({ emulator }: Options): number {
  return emulator ? EVERY.emulator : EVERY.aws;
}

/** Gives how much could not be removed, each of which it has printed. */
async function removeAll(options: Options): Promise<number> {
  const { otherProfile } = options;
  const aws = createClients();
  const other = otherProfile === undefined ? undefined : createClients(otherProfile);
  const problems = await cleanUp({ aws, other, every: everyOf(options) });
  for (const problem of problems) console.log(`clean-up: FAILED: ${problem}. What to do: npm run smoke -- --clean`);
  return problems.length;
}

/** The first Ctrl-C ends the checks, and what was made is removed; the second ends at once. */
function listenForInterrupts(): AbortSignal {
  const interrupted = new AbortController();
  let since = 0;
  const interrupt = (): void => {
    if (since === 0) {
      since = Date.now();
      console.log("interrupted: removing what was made; once more ends at once");
      interrupted.abort(new Error("interrupted"));
    } else if (Date.now() - since > MEANT_AFTER) {
      console.log('ended: "npm run smoke -- --clean" removes what was made');
      process.exit(130);
    }
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, interrupt);
  return interrupted.signal;
}
