import type { Simulator } from "../../../local/simulator/index.ts";
import type { Aws } from "../support/aws.ts";
import type { Cdk, Outputs } from "../support/cdk.ts";
import type { Emulator } from "../support/emulator.ts";
import type { Report } from "../support/report.ts";
import type { Subscription } from "../support/subscription.ts";
import type { SIGNED, WEBHOOK, WebhookServer } from "../support/webhook.ts";

/** What a scenario plays on. */
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
  webhook: WebhookServer<typeof WEBHOOK>;
  /** The endpoint of a webhook that is signed. */
  signed: WebhookServer<typeof SIGNED>;
}

export interface Deployment {
  /** The file that `-c config=` names. */
  configFile: string;
  outputs: Outputs;
}

export interface Subscribers {
  everything: Subscription;
  /** All types of events but completed responses. */
  told: Subscription;
  detractors: Subscription;
  /** Those in which an answer has this label. */
  labelled: Subscription;
  label: string;
}

/** An output of the stack; throws when it has none of that name. */
export function output({ outputs }: Deployment, name: string): string {
  const value = outputs[name];
  if (value === undefined) throw new Error(`the stack has no output ${name}, only ${Object.keys(outputs).join(", ")}`);
  return value;
}
