import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { startSimulator } from "../../../local/simulator/index.ts";
import { createAws } from "../support/aws.ts";
import { createCdk } from "../support/cdk.ts";
import { startEmulator } from "../support/emulator.ts";
import type { Python } from "../support/python.ts";
import type { Report } from "../support/report.ts";
import { startWebhookServer } from "../support/webhook.ts";
import { alarmsAreRaised } from "./alarms-are-raised.ts";
import { destroyed } from "./destroyed.ts";
import { eventsArrive } from "./events-arrive.ts";
import { firstDeployment } from "./first-deployment.ts";
import { keptTable } from "./kept-table.ts";
import { nothingIsLost } from "./nothing-is-lost.ts";
import type { Stage } from "./stage.ts";
import { updated } from "./updated.ts";

const surveys = [{ surveyId: 1, responses: 60 }, { surveyId: 2, responses: 25 }, { surveyId: 3 }];

/** One deployment from its first command to its last. */
export async function lifeOfADeployment(given: { report: Report; python: Python; folder: string }): Promise<void> {
  const { report, python } = given;
  const folder = join(given.folder, "life");
  mkdirSync(folder);
  const simulator = await startSimulator({ surveys, logLimit: 0 });
  const emulator = await report.step("the emulator is up", () => startEmulator(python, folder));
  const aws = createAws(emulator.url);
  const webhook = await startWebhookServer(emulator);
  const stage: Stage = { report, folder, simulator, emulator, aws, webhook, cdk: createCdk(emulator, folder) };
  try {
    const deployment = await firstDeployment(stage);
    const subscribers = await eventsArrive(stage, deployment);
    await nothingIsLost(stage, deployment, subscribers);
    await alarmsAreRaised(stage, deployment, subscribers);
    await updated(stage, deployment, subscribers);
    await destroyed(stage, deployment);
    await keptTable(stage, deployment);
  } finally {
    aws.close();
    await emulator.stop();
    await webhook.close();
    await simulator.close();
  }
}
