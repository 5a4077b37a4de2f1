import { setTimeout as sleep } from "node:timers/promises";
import type { Context, SQSBatchResponse, SQSEvent } from "aws-lambda";
import { readDeployedConfig } from "../lib/config/deployed-config.ts";
import { ConfigError } from "../lib/config/error.ts";
import { describeFailure } from "../lib/monitoring/log.ts";
import { writeWebhookMetrics } from "../lib/monitoring/write-metrics.ts";
import { createLogger } from "../lib/run/create-logger.ts";
import { readForwardEnvironment } from "../lib/run/environment.ts";
import { createPresigner, createQueues, createSecretsClient } from "../lib/webhooks/clients.ts";
import { type DeliveryReport, forwardBatch } from "../lib/webhooks/forward-batch.ts";
import { deliverTest, isTestDelivery, type TestAnswer } from "../lib/webhooks/test-delivery.ts";
import { createWebhookSecrets } from "../lib/webhooks/webhook-secrets.ts";

const environment = readForwardEnvironment(process.env);
const { config } = await readDeployedConfig(process.env, import.meta.dirname);
const webhook = webhookOf(environment.webhook);
const bucket = environment.claimCheckBucket;
const queues = createQueues(environment);
const endpoint = {
  url: webhook.url,
  secrets: createWebhookSecrets(createSecretsClient(), webhook),
  answers: { bucket, presign: createPresigner(bucket) },
  now: Date.now,
  deadline: AbortSignal.timeout,
};
const logger = createLogger(config.sources);

/** Delivers events of one webhook's queue; or one test event, which an operator's command brings, and says how it was answered. */
export async function handler(event: unknown, context: Context): Promise<SQSBatchResponse | TestAnswer> {
  logger.addContext(context);
  const remaining = () => context.getRemainingTimeInMillis();
  if (isTestDelivery(event)) return deliverTest(event, endpoint);
  const { Records } = event as SQSEvent;
  const deliveries: DeliveryReport[] = [];
  const again = await forwardBatch(Records, {
    webhook,
    endpoint,
    ...queues,
    remaining,
    sleep,
    random: Math.random,
    report(delivery) {
      deliveries.push(delivery);
      if (delivery.outcome === "taken") logger.info("event delivered", { ...delivery });
      else logger.warn(delivery.outcome === "retried" ? "delivery failed" : "event given up", { ...delivery });
    },
    trouble: (error) => logger.error("webhook in trouble", { webhook: webhook.name, ...describeFailure(error) }),
  });
  const writing = { requestId: context.awsRequestId, level: config.monitoring.level };
  writeWebhookMetrics(webhook.name, writing, deliveries);
  return { batchItemFailures: again.map((itemIdentifier) => ({ itemIdentifier })) };
}

function webhookOf(name: string): (typeof config.webhooks)[number] {
  const found = config.webhooks.find((one) => one.name === name);
  if (found !== undefined) return found;
  const problem = { path: "webhooks", message: `none is called "${name}"` };
  throw new ConfigError([problem], { hint: "Deploy the stack again." });
}
