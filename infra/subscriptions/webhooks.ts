import { Duration, Names } from "aws-cdk-lib";
import { Code, EventSourceMapping } from "aws-cdk-lib/aws-lambda";
import type { Bucket } from "aws-cdk-lib/aws-s3";
import { Construct } from "constructs";
import type { WebhookConfig } from "../../lib/config/index.ts";
import { MINUTE } from "../../lib/config/units.ts";
import { paceOf } from "../../lib/webhooks/pace.ts";
import { arnIn, may, useKey } from "../encryption.ts";
import { acknowledgeFinding } from "../findings.ts";
import { bundleInto, createFunction, type FunctionSurroundings } from "../functions.ts";
import type { Monitoring } from "../monitoring/monitoring.ts";
import { alphanumeric, type Outputs } from "../outputs.ts";
import { acknowledgeAnyKey, CLAIM_CHECK_KEYS } from "../permissions.ts";
import { createDeadLetters, createQueue, takeEvents } from "../queues.ts";
import { reference } from "../source-secrets.ts";
import { type Subscription, type SubscriptionProps, subscribe } from "./subscribe.ts";

interface WebhooksProps extends Omit<WebhookProps, "code"> {
  webhooks: readonly WebhookConfig[];
  config: unknown;
  monitoring: Monitoring;
  output: Outputs;
}

/** Creates the webhooks, each with its alarms and with outputs that the operator's command reads, by name. */
export function createWebhooks(
  scope: Construct,
  { webhooks, config, monitoring, output, ...props }: WebhooksProps,
): Map<string, Subscription> {
  if (webhooks.length === 0) return new Map();
  const inner = new Construct(scope, "Webhooks");
  // One bundle for all of them: which one a function is for, its environment says.
  const code = Code.fromAsset(bundleInto(inner, "forward", config));
  return new Map(
    webhooks.map((webhook) => {
      const { name } = webhook;
      const subscription = createWebhook(inner, webhook, { ...props, code });
      const { deadLetters, forwarder } = subscription;
      monitoring.watchDeadLetters(`Webhook-${name}`, deadLetters, `webhook ${name}`);
      monitoring.watchWebhook(name);
      const own = alphanumeric(name);
      const { functionName } = forwarder.function;
      output(`ForwardFunctionName${own}`, functionName, `Delivers to webhook ${name}: trigger --webhook`);
      output(`ForwardQueueArn${own}`, forwarder.queue.queueArn, `What waits for webhook ${name}`);
      output(`ForwardDeadLetterQueueArn${own}`, deadLetters.queueArn, `What webhook ${name} did not take`);
      return [name, subscription];
    }),
  );
}

/** Of one invocation: the endpoint has 30 s, and the last of its requests begins 5 s late. */
const DEADLINE = Duration.seconds(40);
/** Six times the deadline, as AWS advises. An invocation that is throttled finds its messages still out of sight. */
const HIDDEN = Duration.seconds(6 * DEADLINE.toSeconds());
/** Receives that made no attempt, as the account had no execution free or the function ended: they cost an event no attempt. */
const IDLE_RECEIVES = 5;
/** MB. It waits most of its time. */
const MEMORY = 256;

interface WebhookProps extends Omit<FunctionSurroundings, "memory"> {
  bus: SubscriptionProps["bus"];
  sources: SubscriptionProps["sources"];
  claimCheckBucket: Bucket;
  /** The function's code, with the configuration in it: the same for all webhooks. */
  code: Code;
  /** By which its metrics and log lines are known. */
  deployment: string;
}

/**
 * An HTTPS endpoint that gets each matching event by POST, the whole envelope as JSON: rule, queue, function. Each webhook has all of these for itself, so
 * that an endpoint that is down keeps no other one waiting, and a function may read the secrets of its webhook alone.
 */
function createWebhook(scope: Construct, webhook: WebhookConfig, props: WebhookProps) {
  const inner = new Construct(scope, webhook.name);
  const { bus, sources, encryptionKey, claimCheckBucket, deployment } = props;
  // Known before the rule is there: a rule whose queue does not take its events yet would lose the first ones.
  const ruleName = Names.uniqueResourceName(inner, { maxLength: 64, separator: "-" });
  const ruleArn = arnIn(inner, "events", `rule/${bus.eventBusName}/${ruleName}`);
  const deadLetters = createDeadLetters(inner, encryptionKey);
  takeEvents(deadLetters, "KeepUndelivered", ruleArn);
  const queue = createQueue(inner, "Queue", encryptionKey, {
    visibilityTimeout: HIDDEN,
    // The forwarder gives events up and says why. This is for events over which it ends each time.
    deadLetterQueue: { queue: deadLetters, maxReceiveCount: webhook.retry.attempts + 1 + IDLE_RECEIVES },
  });
  // One rule alone: whatever lies here is sent as an event of the poller.
  takeEvents(queue, "TakeEvents", ruleArn);
  const subscription = subscribe(inner, {
    bus,
    sources,
    encryptionKey,
    ruleName,
    description: `Completed survey responses to webhook ${webhook.name}`,
    types: webhook.types,
    where: webhook.where,
    target: { bind: () => ({ arn: queue.queueArn, deadLetterConfig: { arn: deadLetters.queueArn } }) },
    // Of the way into the queue alone: how long the endpoint is tried is the forwarder's to see to.
    retry: { maxAge: 1_440 * MINUTE, attempts: 185 },
  });
  subscription.rule.node.addDependency(queue, deadLetters);
  const named = [webhook.signing, webhook.auth].flatMap((one) => one?.secret ?? []);
  const secrets = [...new Set(named)].map((name) => reference(inner, name).arn);
  const readSecrets = [
    may("ReadSecrets", ["secretsmanager:GetSecretValue"], ...secrets),
    ...useKey("DecryptSecrets", encryptionKey, "read-secret"),
  ];
  const forward = createFunction(inner, "Forward", {
    ...props,
    deadLetters,
    memory: MEMORY,
    description: `Delivers events to webhook ${webhook.name}`,
    roleDescription: `What the forwarder of webhook ${webhook.name} may do`,
    environment: {
      WEBHOOK: webhook.name,
      QUEUE_URL: queue.queueUrl,
      DEAD_LETTERS_URL: deadLetters.queueUrl,
      CLAIM_CHECK_BUCKET: claimCheckBucket.bucketName,
      POWERTOOLS_SERVICE_NAME: deployment,
    },
    statements: [
      may(
        "TakeEvents",
        ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:ChangeMessageVisibility", "sqs:GetQueueAttributes"],
        queue.queueArn,
      ),
      ...(secrets.length === 0 ? [] : readSecrets),
      // An address for these is signed with the function's own right to read them.
      may("LendLargeAnswers", ["s3:GetObject"], claimCheckBucket.arnForObjects(CLAIM_CHECK_KEYS)),
      ...useKey("DecryptLargeAnswers", encryptionKey, "read-objects"),
    ],
    settings: { timeout: DEADLINE },
    noDeadLetters: "It is invoked by its queue, which has a dead-letter queue.",
  });
  acknowledgeAnyKey(inner, claimCheckBucket, CLAIM_CHECK_KEYS);
  const { batchSize, concurrency } = paceOf(webhook.ratePerSecond);
  const mapping = new EventSourceMapping(inner, "Mapping", {
    target: forward,
    eventSourceArn: queue.queueArn,
    batchSize,
    maxConcurrency: concurrency,
    reportBatchItemFailures: true,
  });
  acknowledgeFinding(mapping, {
    id: "Serverless-LambdaEventSourceMappingDestination",
    reason: "What fails stays in its queue, which has a dead-letter queue.",
  });
  return { ...subscription, deadLetters, forwarder: { queue, function: forward } };
}
