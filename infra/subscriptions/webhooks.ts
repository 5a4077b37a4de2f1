import { CfnOutput } from "aws-cdk-lib";
import { Code } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import type { WebhookConfig } from "../../lib/config/index.ts";
import type { Monitoring } from "../monitoring/monitoring.ts";
import { alphanumeric } from "../outputs.ts";
import { bundleInto } from "../poll-function.ts";
import type { Subscription } from "./subscribe.ts";
import { createWebhook, type Forwarder, type WebhookProps } from "./webhook.ts";

export interface WebhooksProps extends Omit<WebhookProps, "code"> {
  webhooks: readonly WebhookConfig[];
  /** The raw configuration, which travels in the bundle. */
  config: unknown;
  monitoring: Monitoring;
  /** Stands in front of the name of each output. */
  outputPrefix: string;
}

/** Creates the webhooks, each with its alarms and with outputs that the operator's command reads, by name. */
export function createWebhooks(
  scope: Construct,
  { webhooks, config, monitoring, outputPrefix, ...props }: WebhooksProps,
): Map<string, Subscription> {
  if (webhooks.length === 0) return new Map();
  const inner = new Construct(scope, "Webhooks");
  // One bundle for all of them: which one a function is for, its environment says.
  const code = Code.fromAsset(bundleInto(inner, "forward", config));
  return new Map(
    webhooks.map((webhook) => {
      const { forwarder, ...subscription } = createWebhook(inner, webhook, { ...props, code });
      monitoring.watchDeadLetters(`Webhook-${webhook.name}`, subscription.deadLetters, `webhook ${webhook.name}`);
      monitoring.watchWebhook(webhook.name);
      createOutputs(inner, `${outputPrefix}Forward`, webhook.name, { ...subscription, forwarder });
      return [webhook.name, { ...subscription, forwarder }];
    }),
  );
}

function createOutputs(
  scope: Construct,
  prefix: string,
  name: string,
  { forwarder, deadLetters }: { forwarder: Forwarder; deadLetters: Forwarder["queue"] },
): void {
  const output = (what: string, value: string, description: string): void => {
    const made = new CfnOutput(scope, `Output${what}-${name}`, { value, description });
    made.overrideLogicalId(`${prefix}${what}${alphanumeric(name)}`);
  };
  output("FunctionName", forwarder.function.functionName, `Delivers to webhook ${name}: trigger --webhook`);
  output("QueueArn", forwarder.queue.queueArn, `What waits for webhook ${name}`);
  output("DeadLetterQueueArn", deadLetters.queueArn, `What webhook ${name} did not take`);
}
