import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { startSimulator } from "../../../local/simulator/index.ts";
import { createAws } from "../support/aws.ts";
import { createCdk } from "../support/cdk.ts";
import { makeCertificate } from "../support/certificate.ts";
import { startEmulator } from "../support/emulator.ts";
import type { Python } from "../support/python.ts";
import type { Report } from "../support/report.ts";
import { SIGNED, startWebhookServer, WEBHOOK } from "../support/webhook.ts";
import type { Stage } from "./stage.ts";

const surveys = [{ surveyId: 1, responses: 60 }, { surveyId: 2, responses: 25 }, { surveyId: 3 }];

/** What a scenario is given. */
export interface Given {
  report: Report;
  /** The emulator, as soon as it is there. */
  installing: Promise<Python>;
  /** In which it makes one of its own. */
  folder: string;
}

/** Plays on a stage of its own, which is taken down afterwards. */
export async function onStage(given: Given, name: string, play: (stage: Stage) => Promise<void>): Promise<void> {
  const { report } = given;
  const python = await given.installing;
  const folder = join(given.folder, name);
  mkdirSync(folder);
  const simulator = await startSimulator({ surveys, logLimit: 0 });
  const certificate = await makeCertificate(folder);
  const webhook = await startWebhookServer(WEBHOOK, certificate);
  const signed = await startWebhookServer(SIGNED, certificate);
  const emulator = await report.step("the emulator is up", () => startEmulator(python, folder, certificate.file));
  const aws = createAws(emulator.url);
  try {
    await play({ report, folder, simulator, emulator, aws, webhook, signed, cdk: createCdk(emulator, folder) });
  } finally {
    aws.close();
    await emulator.stop();
    await webhook.close();
    await signed.close();
    await simulator.close();
  }
}
