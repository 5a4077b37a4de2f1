/**
 * The stack as it is, deployed by `cdk deploy` into an emulator of AWS on this machine: what it does there, step by step. Needs python3 with
 * venv, and the network for the first run, which installs the emulator.
 *
 * Usage: node test/deploy/run.ts
 */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asTheReadmeSays } from "./scenarios/as-the-readme-says.ts";
import { lifeOfADeployment } from "./scenarios/life-of-a-deployment.ts";
import { killAll } from "./support/processes.ts";
import { installPython } from "./support/python.ts";
import { createReport, StepFailedError } from "./support/report.ts";

/** The promise is 5 minutes on a machine that has nothing else to do; what takes so much longer hangs. */
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

try {
  const python = await report.step("the emulator is installed", async (note) => {
    const found = await installPython();
    note(`${found.installed}`);
    return found;
  });
  await asTheReadmeSays({ report, python, folder });
  await lifeOfADeployment({ report, python, folder });
} catch (error) {
  // A step that failed has been counted and printed.
  if (!(error instanceof StepFailedError)) {
    console.log(error);
    close(1);
  }
}
close(0);

/** Everything is ended and removed by the exit itself. */
function close(unexpected: number): never {
  const failed = report.failed + unexpected;
  console.log(`\n${report.passed} passed, ${failed} failed`);
  process.exit(failed === 0 ? 0 : 1);
}
