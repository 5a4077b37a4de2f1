import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { createBucket } from "../../../lib/aws/bucket.ts";
import type { SourceConfig } from "../../../lib/config/index.ts";
import type { OutgoingEvent, Publisher } from "../../../lib/polling/index.ts";
import { createEventBridgePublisher } from "../../../lib/publisher/event-bridge.ts";
import { CommandError } from "../../errors.ts";
import { askingAws, awsFailure } from "../../target/aws-failure.ts";
import type { Target } from "../../target/target.ts";

/** Bytes above which answers go to the bucket, however high the configuration's own limit is: the large event must be one. */
const LIMIT = 204_800;

export interface Sending {
  source: SourceConfig;
  /** Nothing is sent, and nothing put into the bucket. */
  dryRun: boolean;
}

/**
 * Makes an event ready for the bus and, not in a dry run, sends it, by the publisher of the function.
 *
 * @returns its detail, as it is sent
 */
export async function send(target: Target, event: OutgoingEvent, sending: Sending): Promise<Record<string, unknown>> {
  const publisher = publisherOf(target, sending);
  const sealed = await askingAws("the answers could not be put into the bucket", () => publisher.seal(event));
  const detail = JSON.parse(sealed.json) as Record<string, unknown>;
  if (sending.dryRun) return detail;
  const [outcome] = await publisher.publish([sealed], async () => undefined);
  if (outcome?.kind === "published") return detail;
  const name = (outcome?.code ?? "UNKNOWN").replace(/^request:/, "");
  const failure = awsFailure("the event could not be sent", Object.assign(new Error(name), { name }));
  const isOfAws = failure instanceof CommandError && failure.code !== "AWS_FAILED";
  throw isOfAws ? failure : new CommandError("NOT_SENT", `the event was not sent (${name})`, { hint: "Try again." });
}

/** The publisher of the function. In a dry run it puts no answers into the bucket. */
function publisherOf(target: Target, { source, dryRun }: Sending): Publisher {
  const { busName: bus, claimCheckBucket: bucket } = target.resources;
  const { putJson } = createBucket(target.clients.s3, bucket);
  return createEventBridgePublisher({
    client: target.clients.events,
    bus,
    eventSource: source.eventSource,
    bucket,
    putObject: dryRun ? async () => undefined : putJson,
    inlineLimit: Math.min(LIMIT, source.inlineLimit),
    sleep,
  });
}

/**
 * An event as EventBridge would deliver it, without the bus having seen it.
 *
 * @returns its envelope
 */
export async function envelopeOf(
  target: Target,
  event: OutgoingEvent,
  sending: Sending,
): Promise<Record<string, unknown>> {
  const publisher = publisherOf(target, sending);
  const { json } = await askingAws("the answers could not be put into the bucket", () => publisher.seal(event));
  const [, , , region = "", account = ""] = (target.stack?.outputs.BusArn ?? "").split(":");
  return {
    version: "0",
    id: randomUUID(),
    "detail-type": event.type,
    source: sending.source.eventSource,
    account,
    time: new Date(event.time).toISOString().replace(/\.\d+Z$/, "Z"),
    region,
    resources: [],
    detail: JSON.parse(json) as Record<string, unknown>,
  };
}
