import { type EventBridgeClient, PutEventsCommand } from "@aws-sdk/client-eventbridge";
import { errorCode } from "../errors.ts";
import { factsJson } from "../events/build/facts.ts";
import type { Publisher, PublishOutcome, SealedEvent } from "../polling/index.ts";
import { checkIn, type PutObject } from "./claim-check.ts";

export interface EventBridgePublisherOptions {
  client: EventBridgeClient;
  bus: string;
  /** The bus that gets a copy of each event without what is personal. */
  factsBus?: string | undefined;
  eventSource: string;
  bucket: string;
  putObject: PutObject;
  /** Bytes. */
  inlineLimit: number;
  sleep: (milliseconds: number) => Promise<void>;
}

/** The codes that are about the entry itself. All others are about the bus, its policy, the bus of facts (`facts:`) or a whole request (`request:`), and may pass: an event waits for that. */
const ofTheEntry = new Set(["MalformedDetail", "InvalidArgument", "RedactionFailure", "ValidationException"]);
const MOST_ATTEMPTS = 5;
/** The limit of an entry and of a request. */
const MOST_BYTES = 1_048_576;

const INVALID_REQUEST = "request:ValidationException";

/** How an event went: undefined is published. */
type Code = string | undefined;

export function createEventBridgePublisher(options: EventBridgePublisherOptions): Publisher {
  const { client, bus, factsBus, eventSource } = options;

  /** Sends events to their bus, or their copies to that of facts. */
  async function put(events: SealedEvent[], part: "json" | "facts"): Promise<Code[]> {
    const Entries = events.map((event) => ({
      EventBusName: part === "json" ? bus : factsBus,
      Source: eventSource,
      DetailType: event.type,
      Detail: event[part],
      Time: new Date(event.time),
    }));
    try {
      const answer = await client.send(new PutEventsCommand({ Entries }));
      return events.map((_, i) => {
        const entry = answer.Entries?.[i];
        return entry?.EventId === undefined ? (entry?.ErrorCode ?? "InternalFailure") : undefined;
      });
    } catch (error) {
      return events.map(() => `request:${errorCode(error)}`);
    }
  }

  return {
    async seal(event) {
      const hasContents = event.type === "response.completed" || event.type === "response.updated";
      const json = hasContents
        ? await checkIn(event.detail, options.inlineLimit, options.bucket, options.putObject)
        : JSON.stringify(event.detail);
      // Without one nothing goes to the bus of facts: never the whole event in its place.
      const facts = factsBus === undefined ? {} : { facts: hasContents ? factsJson(event.detail) : json };
      // 14 bytes stand for Time, by the service's own way of counting.
      const bytes = 14 + Buffer.byteLength(json) + Buffer.byteLength(eventSource) + Buffer.byteLength(event.type);
      return { type: event.type, bytes, json, time: event.time, ...facts };
    },
    async publish(events, guard) {
      const outcomes: PublishOutcome[] = events.map(({ bytes }) =>
        bytes > MOST_BYTES ? { kind: "refused", code: "TooLarge" } : { kind: "failed", code: "InternalFailure" },
      );
      let left = events.map((event, index) => ({ event, index })).filter(({ event }) => event.bytes <= MOST_BYTES);
      let isFirst = true;
      let stopped: string | undefined;
      async function send(some: SealedEvent[], part: "json" | "facts"): Promise<Code[]> {
        if (some.length === 0) return [];
        try {
          if (stopped === undefined) await guard();
        } catch (error) {
          // What an earlier request has published must still be told.
          if (isFirst) throw error;
          stopped = `guard:${errorCode(error)}`;
        }
        isFirst = false;
        if (stopped !== undefined) return some.map(() => stopped);
        const codes = await put(some, part);
        if (!codes.every((code) => code === INVALID_REQUEST)) return codes;
        if (some.length === 1) return [INVALID_REQUEST.slice("request:".length)];
        // A request that is refused as a whole does not say for which of its entries: they are sent one by one.
        const single: Code[] = [];
        for (const event of some) single.push(...(await send([event], part)));
        return single;
      }
      const copied = new Set<SealedEvent>();
      /** The copies go first: an event goes out once its copy has, so that a failing bus of facts repeats nothing on the other one. */
      async function sendBoth(some: SealedEvent[]): Promise<Code[]> {
        const failed = new Map<SealedEvent, Code>();
        const uncopied = factsBus === undefined ? [] : some.filter((event) => !copied.has(event));
        for (const [i, code] of (await send(uncopied, "facts")).entries()) {
          const event = uncopied[i] as SealedEvent;
          if (code === undefined) copied.add(event);
          else failed.set(event, code.startsWith("guard:") ? code : `facts:${code}`);
        }
        const ready = some.filter((event) => !failed.has(event));
        const codes = await send(ready, "json");
        return some.map((event) => failed.get(event) ?? codes[ready.indexOf(event)]);
      }
      for (let attempt = 1; left.length > 0; attempt += 1) {
        const codes = await sendBoth(left.map(({ event }) => event));
        left = left.filter(({ index }, i) => {
          outcomes[index] = toOutcome(codes[i]);
          return outcomes[index].kind === "failed";
        });
        if (stopped !== undefined || left.length === 0 || attempt >= MOST_ATTEMPTS) break;
        await options.sleep(100 * 2 ** attempt * (0.5 + Math.random() / 2));
      }
      return outcomes;
    },
  };
}

function toOutcome(code: string | undefined): PublishOutcome {
  if (code === undefined) return { kind: "published" };
  if (code.startsWith("guard:")) return { kind: "failed", code: code.slice("guard:".length) };
  return { kind: ofTheEntry.has(code) ? "refused" : "failed", code };
}
