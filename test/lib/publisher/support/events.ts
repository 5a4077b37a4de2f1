import { setTimeout as sleep } from "node:timers/promises";
import { PutObjectCommand } from "@aws-sdk/client-s3";
import { buildEvent } from "../../../../lib/events/build/build-event.ts";
import { record, response } from "../../../../lib/events/generate/golden.ts";
import type { ResponseCompleted } from "../../../../lib/events/index.ts";
import type { Publisher, SealedEvent } from "../../../../lib/polling/index.ts";
import { createEventBridgePublisher } from "../../../../lib/publisher/event-bridge.ts";
import type { TestAws } from "../../support/aws.ts";

export const time = Date.UTC(2026, 2, 10, 12);
const KB = 1_024;

/** The guard of a lease that nobody wants. */
export const free = async (): Promise<void> => undefined;
export const published = { kind: "published" } as const;

/** A publisher to the bus of the tests, and how long it would have slept. */
export function publisherTo(
  test: TestAws,
  options: { inlineLimit?: number; factsBus?: string; eventSource?: string } = {},
): Publisher & { slept: number[] } {
  const slept: number[] = [];
  const made = createEventBridgePublisher({
    client: test.clients.events,
    bus: test.bus,
    factsBus: options.factsBus,
    eventSource: options.eventSource ?? "survey-poller",
    bucket: test.bucket,
    putObject: async (key, body) => {
      await test.clients.s3.send(new PutObjectCommand({ Bucket: test.bucket, Key: key, Body: body }));
    },
    inlineLimit: options.inlineLimit ?? 200 * KB,
    sleep: async (milliseconds) => {
      slept.push(milliseconds);
      await sleep(1);
    },
  });
  return { ...made, slept };
}

export function detail(responseId: number, comment = "", metricName = "NPS"): ResponseCompleted {
  const facts = { records: [{ ...record, comment }], metrics: { "31": { metricId: 31, metricName } } };
  return buildEvent(response(responseId, { ...facts, detectedAt: time }));
}

export const seal = (to: Publisher, ...details: ResponseCompleted[]): Promise<SealedEvent[]> =>
  Promise.all(details.map((one) => to.seal({ type: "response.completed", detail: one, time })));
