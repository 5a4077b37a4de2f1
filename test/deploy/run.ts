/**
 * The stack as it is, deployed by `cdk deploy` into an emulator of AWS on this machine: what it does there, step by step. Needs python3 with
 * venv, and the network for the first run, which installs the emulator.
 *
 * Usage: node test/deploy/run.ts [readme|life|alarms|verbs|examples|smoke …]
 */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asTheReadmeSays } from "./scenarios/as-the-readme-says.ts";
import { examples } from "./scenarios/examples.ts";
import { lifeOfADeployment } from "./scenarios/life-of-a-deployment.ts";
import { operatedDeployment } from "./scenarios/operated-deployment.ts";
import { smoke } from "./scenarios/smoke.ts";
import { watchedDeployment } from "./scenarios/watched-deployment.ts";
import { killAll } from "./support/processes.ts";
import { installPython } from "./support/python.ts";
import { createReport, StepFailedError } from "./support/report.ts";

/** The promise is 5 minutes; what takes so much longer hangs. */
const LIMIT = 900_000;

// The space is what a checkout in "My Projects" has.
const folder = realpathSync(mkdtempSync(join(tmpdir(), "survey-poller deploy-")));
process.once("exit", () => {
  killAll();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(130));
const report = createReport(console.log);
setTimeout(() => {
  console.log(`not done after ${LIMIT / 1000} s`);
  close(1);
}, LIMIT).unref();

const life = report.lane("life");
const installing = life.step("the emulator is installed", async (note) => {
  const found = await installPython();
  note(found.installed);
  return found;
});
// Deployments that know nothing of each other: what one waits for, another one need not. The third begins as the first only waits, since two
// that work are as much as a small machine bears.
const waits = Promise.withResolvers<void>();
const readme = { report: report.lane("readme"), installing, folder, onlyWaits: waits.resolve };
/** Those that are asked for, or all but the smoke test. */
const chosen = process.argv.slice(2);
const isChosen = (name: string): boolean => chosen.length === 0 || chosen.includes(name);
if (!isChosen("readme")) waits.resolve();
const ended = await Promise.allSettled([
  isChosen("readme") ? asTheReadmeSays(readme).finally(waits.resolve) : undefined,
  isChosen("life") ? lifeOfADeployment({ report: life, installing, folder }) : undefined,
  waits.promise.then(async () => {
    if (isChosen("alarms")) await watchedDeployment({ report: report.lane("alarms"), installing, folder });
  }),
  waits.promise.then(async () => {
    if (isChosen("verbs")) await operatedDeployment({ report: report.lane("verbs"), installing, folder });
  }),
  waits.promise.then(async () => {
    if (isChosen("examples")) await examples({ report: report.lane("examples"), installing, folder });
  }),
  chosen.includes("smoke") ? smoke({ report: report.lane("smoke"), installing, folder }) : undefined,
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
