import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { EventEnvelope } from "../../../events/envelope.ts";
import { AwsError, type Operation, operation } from "../aws-json.ts";
import type { QueuesAndBuckets } from "../queues-and-buckets.ts";
import { ACCOUNT, REGION } from "../services.ts";
import type { Rules } from "./rules.ts";

/** Receives every event that a bus has accepted. */
export type EventSink = (envelope: EventEnvelope, busName: string) => void | Promise<void>;

/** One event of a PutEvents request. Fields for which a single entry fails are optional here. */
const putEventsEntry = z.looseObject({
  Source: z.string().optional(),
  DetailType: z.string().optional(),
  /** JSON text. */
  Detail: z.string().optional(),
  EventBusName: z.string().optional(),
  Resources: z.array(z.string()).optional(),
  /** Epoch seconds, with fractions. */
  Time: z.number().optional(),
});
type PutEventsEntry = z.infer<typeof putEventsEntry>;

const input = z.looseObject({ Entries: z.array(putEventsEntry).min(1).max(10) });

/** The limit on the entries of one request together, in bytes (1 MB since January 2026). */
const MAX_REQUEST_BYTES = 1_048_576;

interface PutEventsOptions {
  rules: Rules;
  queues: Pick<QueuesAndBuckets, "send">;
  onEvent: EventSink;
}

/**
 * PutEvents, answered only after the sink has returned for each accepted event and its queues have it: what is acknowledged outlives the
 * process.
 */
export function putEventsOperation({ rules, queues, onEvent }: PutEventsOptions): Operation {
  // One event after the other, across requests too: the sink need not be safe for two calls at once.
  let turn: Promise<unknown> = Promise.resolve();
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = turn.then(work);
    turn = result.catch(() => undefined);
    return result;
  }

  async function accept(entry: PutEventsEntry): Promise<{ EventId: string } | EntryError> {
    const checked = checkEntry(entry);
    if ("ErrorCode" in checked) return checked;
    const id = randomUUID();
    const on = rules.targetsOf(entry.EventBusName);
    // As on AWS: an event for a bus that does not exist is acknowledged, and seen by nobody.
    if (on === undefined) return { EventId: id };
    const envelope = toEnvelope(entry, checked.detail, id, Date.now());
    try {
      await onEvent(envelope, on.bus);
      for (const queueArn of on.targets(envelope)) await queues.send(queueArn, JSON.stringify(envelope));
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

/** Size by AWS's rule: 14 for a time, and the UTF-8 bytes of the texts. */
function entrySize(entry: PutEventsEntry): number {
  const texts = [entry.Source, entry.DetailType, entry.Detail, ...(entry.Resources ?? [])];
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text ?? ""), entry.Time === undefined ? 0 : 14);
}

/** @param now epoch milliseconds, used when the entry has no time of its own */
function toEnvelope(entry: PutEventsEntry, detail: Record<string, unknown>, id: string, now: number): EventEnvelope {
  const milliseconds = entry.Time === undefined ? now : entry.Time * 1000;
  return {
    version: "0",
    id,
    "detail-type": entry.DetailType ?? "",
    source: entry.Source ?? "",
    account: ACCOUNT,
    time: `${new Date(milliseconds).toISOString().slice(0, 19)}Z`,
    region: REGION,
    resources: entry.Resources ?? [],
    detail,
  };
}

interface EntryError {
  ErrorCode: string;
  ErrorMessage: string;
}

function checkEntry(entry: PutEventsEntry): { detail: Record<string, unknown> } | EntryError {
  for (const name of ["Source", "DetailType", "Detail"] as const) {
    if (entry[name] === undefined || entry[name] === "") {
      return failed("InvalidArgument", `Parameter ${name} is not valid. Reason: ${name} is a required argument.`);
    }
  }
  if (entry.Source?.startsWith("aws.") === true) {
    return failed("NotAuthorizedForSourceException", "Not authorized for the source.");
  }
  const detail = parseDetail(entry.Detail ?? "");
  return detail === undefined ? failed("MalformedDetail", "Detail is malformed.") : { detail };
}

function failed(ErrorCode: string, ErrorMessage: string): EntryError {
  return { ErrorCode, ErrorMessage };
}

function parseDetail(text: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) return undefined;
    return parsed as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
