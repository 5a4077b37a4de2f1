/**
 * The stack as it is, deployed by `cdk deploy` into an emulator of AWS on this machine: what it does there, step by step. Needs python3 with
 * venv, and the network for the first run, which installs the emulator.
 *
 * Usage: node test/deploy/run.ts [readme|life|alarms|verbs|examples|seconds|sources|template|smoke …]
 */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { alarms } from "./lanes/alarms.ts";
import { examples } from "./lanes/examples.ts";
import { life } from "./lanes/life.ts";
import { manySources } from "./lanes/many-sources.ts";
import { readme } from "./lanes/readme.ts";
import { seconds } from "./lanes/seconds.ts";
import { smoke } from "./lanes/smoke.ts";
import { template } from "./lanes/template.ts";
import { verbs } from "./lanes/verbs.ts";
import { installEmulator } from "./support/emulator.ts";
import { endAll } from "./support/processes.ts";
import { createReport, StepFailedError } from "./support/report.ts";
import type { Given } from "./support/stage.ts";

/** The promise is 5 minutes; what takes so much longer hangs. */
const LIMIT = 900_000;

// The space is what a checkout in "My Projects" has.
const folder = realpathSync(mkdtempSync(join(tmpdir(), "survey-poller deploy-")));
process.once("exit", () => {
  endAll("SIGKILL");
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(130));
const report = createReport(console.log);
setTimeout(() => {
  console.log(`not done after ${LIMIT / 1000} s`);
  close(1);
}, LIMIT).unref();

const installing = report.step("the emulator is installed", async (note) => note(await installEmulator()));
// Who needs it hears of its failure.
installing.catch(() => {});
const given = (name: string): Given => ({ report: report.lane(name), installing, folder });
/** Those that are asked for, or all but the smoke test. */
const chosen = process.argv.slice(2);
const isChosen = (name: string): boolean => chosen.length === 0 || chosen.includes(name);
// Deployments know nothing of each other: what one waits for, another one need not. Most begin as the README's only waits, since two that work
// are as much as a small machine bears.
const waits = Promise.withResolvers<void>();
if (!isChosen("readme")) waits.resolve();
const later = { alarms, verbs, examples, seconds, sources: manySources, template };
const ended = await Promise.allSettled([
  isChosen("readme") ? readme(given("readme"), waits.resolve).finally(waits.resolve) : undefined,
  isChosen("life") ? life(given("life")) : undefined,
  ...Object.entries(later).map(([name, play]) =>
    isChosen(name) ? waits.promise.then(() => play(given(name))) : undefined,
  ),
  chosen.includes("smoke") ? smoke(given("smoke")) : undefined,
]);
const reasons = ended.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
// A step that failed has been counted and printed.
const unexpected = reasons.filter((reason) => !(reason instanceof StepFailedError));
for (const reason of unexpected) console.log(reason);
close(unexpected.length);

/** Everything is ended and removed by the exit itself. */
function close(unexpected: number): never {
  const failed = report.failed + unexpected;
  console.log(`\n${report.passed} passed, ${failed} failed`);
  process.exit(failed === 0 ? 0 : 1);
}
