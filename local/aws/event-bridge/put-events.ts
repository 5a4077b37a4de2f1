import { randomUUID } from "node:crypto";
import { z } from "zod";
import { AwsError, type Operation, operation } from "../aws-json.ts";
import type { Deliveries } from "./deliveries.ts";
import {
  checkEntry,
  type EntryError,
  entrySize,
  MAX_REQUEST_BYTES,
  type PutEventsEntry,
  putEventsEntry,
} from "./entry.ts";
import { type EventEnvelope, toEnvelope } from "./envelope.ts";
import type { Delivery } from "./journal.ts";
import type { Registry } from "./registry.ts";
import { targetInput } from "./target-input.ts";

/** Receives every event that a bus has accepted. */
export type EventSink = (envelope: EventEnvelope, busName: string) => void | Promise<void>;

const input = z.looseObject({ Entries: z.array(putEventsEntry).min(1).max(10) });

interface PutEventsOptions {
  registry: Registry;
  deliveries: Deliveries;
  onEvent: EventSink;
  /** Epoch milliseconds. */
  now(): number;
}

/**
 * PutEvents, answered only after the sink has returned for each accepted event and its deliveries are on disk: what is
 * acknowledged outlives the process.
 */
export function putEventsOperation({ registry, deliveries, onEvent, now }: PutEventsOptions): Operation {
  // One event after the other, across requests too: the sink need not be safe for two calls at once.
  let turn: Promise<unknown> = Promise.resolve();
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = turn.then(work);
    turn = result.catch(() => undefined);
    return result;
  }

  function deliveriesOf(envelope: EventEnvelope, busName: string): Delivery[] {
    return registry
      .rules(busName)
      .filter((rule) => rule.state === "ENABLED" && registry.matcher(rule)(envelope))
      .flatMap(({ targets }) => targets)
      .map((target) => {
        const messageGroupId = target.SqsParameters?.MessageGroupId;
        return {
          id: randomUUID(),
          queueArn: target.Arn,
          body: targetInput(target, envelope),
          ...(messageGroupId === undefined ? {} : { messageGroupId }),
        };
      });
  }

  async function accept(entry: PutEventsEntry): Promise<{ EventId: string } | EntryError> {
    const checked = checkEntry(entry);
    if ("error" in checked) return checked.error;
    const id = randomUUID();
    const bus = registry.bus(entry.EventBusName);
    // As on AWS: an event for a bus that does not exist is acknowledged, and seen by nobody.
    if (bus === undefined) return { EventId: id };
    const envelope = toEnvelope(entry, checked.detail, id, now());
    try {
      await onEvent(envelope, bus.name);
      deliveries.enqueue(deliveriesOf(envelope, bus.name));
    } catch (error) {
      return { ErrorCode: "InternalFailure", ErrorMessage: error instanceof Error ? error.message : String(error) };
    }
    return { EventId: id };
  }

  return operation(input, async ({ Entries }) => {
    const size = Entries.reduce((sum, entry) => sum + entrySize(entry), 0);
    if (size > MAX_REQUEST_BYTES) {
      throw new AwsError("ValidationException", "Total size of the entries in the request is over the limit.");
    }
    return inTurn(async () => {
      const results = [];
      for (const entry of Entries) results.push(await accept(entry));
      return { FailedEntryCount: results.filter((result) => "ErrorCode" in result).length, Entries: results };
    });
  });
}
