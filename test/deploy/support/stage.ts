import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CreateSecretCommand } from "@aws-sdk/client-secrets-manager";
import { type Simulator, startSimulator } from "../../../lib/local/simulator/index.ts";
import { type Aws, createAws } from "./aws.ts";
import { type Cdk, createCdk, type Outputs } from "./cdk.ts";
import { type Emulator, startEmulator } from "./emulator.ts";
import type { Report } from "./report.ts";
import { type Subscription, subscribe } from "./subscription.ts";
import {
  DETRACTORS,
  makeCertificate,
  SIGNED,
  startWebhookServer,
  WEBHOOK,
  WEBHOOK_SECRET,
  type WebhookServer,
} from "./webhook.ts";

/** What a lane is given. */
export interface Given {
  report: Report;
  /** Is done as soon as the emulator is there. */
  installing: Promise<unknown>;
  /** In which it makes one of its own. */
  folder: string;
}

/** What a lane plays on. */
export interface Stage {
  report: Report;
  /** Of its own. */
  folder: string;
  /** The survey service. */
  simulator: Simulator;
  emulator: Emulator;
  cdk: Cdk;
  aws: Aws;
  /** The endpoint of the webhook that every deployment has. */
  webhook: WebhookServer;
  /** The endpoint of a webhook that is signed. */
  signed: WebhookServer;
}

const SURVEYS = [{ surveyId: 1, responses: 60 }, { surveyId: 2, responses: 25 }, { surveyId: 3 }];

/** Plays on a stage of its own, which is taken down afterwards. */
export async function onStage(given: Given, name: string, play: (stage: Stage) => Promise<void>): Promise<void> {
  const { report } = given;
  await given.installing;
  const folder = join(given.folder, name);
  mkdirSync(folder);
  const simulator = await startSimulator({ surveys: SURVEYS });
  const certificate = await makeCertificate(folder);
  const webhook = await startWebhookServer(WEBHOOK, certificate);
  const signed = await startWebhookServer(SIGNED, certificate);
  const emulator = await report.step("the emulator is up", () => startEmulator(folder, certificate.file));
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

/** The stage with a poller deployed, and subscribers to its bus. */
export interface Deployed extends Stage {
  /** The file that `-c config=` names. */
  configFile: string;
  outputs: Outputs;
  /** Hears every event. */
  everything: Subscription;
  /** Hears what the webhook hears. */
  detractors: Subscription;
}

/**
 * What is deployed: the defaults, but for the history, which is to go out too, the zone of its dates, the shortest lag that is an alarm, and a
 * webhook.
 */
export function writeConfiguration({ folder, simulator, webhook }: Stage, source: object, others: object): string {
  const file = join(folder, "my survey.json");
  const sources = [{ baseUrl: simulator.url, startFrom: "beginning", timeZone: "UTC", ...source }];
  const monitoring = { lagThreshold: "1m" };
  writeFileSync(file, JSON.stringify({ sources, monitoring, webhooks: [webhook.config], ...others }));
  return file;
}

/** From nothing to a poller that lacks nothing but credentials. */
export async function deploy(stage: Stage, others: object = {}): Promise<Deployed> {
  const { report, cdk, aws } = stage;
  const configFile = writeConfiguration(stage, {}, others);
  const config = ["-c", `config=${configFile}`];
  await report.step("cdk bootstrap", () => cdk.run("bootstrap", ...config));
  const outputs = await report.step("cdk deploy", async () => {
    const SecretString = JSON.stringify(WEBHOOK_SECRET);
    await aws.secrets.send(new CreateSecretCommand({ Name: WEBHOOK.auth.secret, SecretString }));
    return cdk.deploy(...config);
  });
  const { BusName = "" } = outputs;
  const everything = await subscribe(aws, BusName, "everything", { source: ["survey-poller"] });
  const pattern = { "detail-type": ["response.completed"], detail: DETRACTORS };
  const detractors = await subscribe(aws, BusName, "detractors", pattern);
  return { ...stage, configFile, outputs, everything, detractors };
}

/** An output of a stack; throws when it has none of that name. */
export function output({ outputs }: { outputs: Outputs }, name: string): string {
  const value = outputs[name];
  assert.ok(value !== undefined, `the stack has no output ${name}, only ${Object.keys(outputs).join(", ")}`);
  return value;
}

export function fillCredentials(on: Deployed): Promise<void> {
  const { clientId, clientSecret } = on.simulator;
  return on.aws.fillSecret(output(on, "CredentialsSecretName"), { clientId, clientSecret });
}
