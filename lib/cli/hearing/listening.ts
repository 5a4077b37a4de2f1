import { DeleteMessageBatchCommand, ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { checkWhere } from "../../../infra/subscriptions/check-where.ts";
import { pathText } from "../../config/parse.ts";
import { parseDuration } from "../../config/units.ts";
import { errorCode } from "../../errors.ts";
import { EVENT_TYPES, type EventType } from "../../events/contract.ts";
import { isObject } from "../../json.ts";
import { createMatcher } from "../../local/aws/event-bridge/matcher.ts";
import { parseJson } from "../../secrets/secret-values.ts";
import { InterruptedError, notNow, UsageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { askingAws } from "../target/aws-failure.ts";
import { type Flags, openTarget } from "../target/open-target.ts";
import type { Target } from "../target/target.ts";
import { clock, count, nextCommand, span } from "../words.ts";
import { LIFETIME, makeTemporaryRule, prolong, removeTemporaryRule, sweepExpired } from "./temporary-rules.ts";

export const filterOption = () =>
  new Option("--filter <pattern>", "which events: an event pattern of EventBridge, as JSON");

export const forOption = () =>
  new Option("--for <duration>", "how long, such as 10m; by default until Ctrl-C").argParser((text) => {
    const duration = parseDuration(text);
    if (duration !== undefined && duration >= 1_000) return duration;
    throw new InvalidArgumentError("it takes a duration from 1s, such as 10m.");
  });

export const countOption = () =>
  new Option("--count <n>", "end after so many events").argParser((text) => {
    if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
    throw new InvalidArgumentError("it takes a whole number from 1.");
  });

/** Milliseconds of silence after which it is said, and seconds for which one request waits for events. */
const QUIET = 60_000;
const LONGEST_POLL = 5;

/** The source of events, and when it ends: at a time, or after so many events. */
interface Hearing extends Pick<Io, "now" | "say" | "signal"> {
  /** Takes what is in the queue, and waits so many seconds for it. Nothing once it is interrupted. */
  receive: (waitSeconds: number) => Promise<readonly string[]>;
  until: number;
  count: number;
}

/** Events as they were delivered. Ends also when it is interrupted. */
export async function* hear({ receive, until, count: most, now, say, signal }: Hearing): AsyncGenerator<string, void> {
  const since = now();
  let heard = 0;
  let lastHeard = since;
  let spoke = since;
  while (!signal.aborted && heard < most && now() < until) {
    const bodies = await receive(Math.min(LONGEST_POLL, Math.ceil((until - now()) / 1_000)));
    for (const body of bodies.slice(0, most - heard)) {
      heard += 1;
      lastHeard = now();
      spoke = lastHeard;
      yield body;
    }
    if (bodies.length > 0 || now() - spoke < QUIET || signal.aborted) continue;
    spoke = now();
    const last = heard === 0 ? "listening since" : `the last of ${heard} was heard at`;
    say(`nothing heard for ${span(spoke - lastHeard)}; ${last} ${clock(lastHeard)}`);
  }
}

/**
 * Hears events on the bus of a poller, by a rule and a queue that are removed at the end, whatever the end is.
 *
 * @param onEvent gets each event's envelope as it was delivered, one after the other
 */
export async function listening(
  options: Flags & { filter?: string | undefined; for?: number | undefined; count?: number | undefined },
  io: Io,
  onEvent: (body: string) => Promise<void> | void,
): Promise<void> {
  const filter = options.filter === undefined ? {} : readFilter(options.filter);
  await using target = await openTarget(options, io);
  if (target.data?.isRunning === false) {
    const hint = "Start npm start with this folder, then try again.";
    throw notNow("NO_RUN_AT_WORK", `no run is at work on the ${target.name}: there is nothing to hear`, { hint });
  }
  const { sources } = await target.config();
  const eventSources = sources.map(({ eventSource }) => eventSource);
  try {
    const gone = await sweepExpired(target, io.now());
    if (gone.length > 0) io.say(`Removed what a killed command had left: ${gone.join(", ")}.`);
  } catch (error) {
    // A failure in that is no reason not to listen.
    io.say(`What killed commands may have left was not looked for (${errorCode(error)}).`);
  }
  const began = io.now();
  const rule = await askingAws("the temporary rule and its queue could not be made", () =>
    makeTemporaryRule(target, { pattern: patternOf(filter, eventSources), now: began }),
  );
  const sqs = new SQSClient({ ...target.client("sqs"), maxAttempts: 3 });
  let prolongedAt = began;
  let heard = 0;
  const receive = async (wait: number): Promise<string[]> => {
    if (io.now() - prolongedAt > LIFETIME / 3) {
      prolongedAt = io.now();
      await askingAws("the temporary queue could not be kept", () => prolong(target, rule.queueUrl, prolongedAt));
    }
    return take(sqs, rule.queueUrl, wait, io.signal);
  };
  try {
    const soon = target.stack === undefined ? "" : "; a new rule of EventBridge may take a minute until it works";
    io.say(`Listening on the bus ${target.resources.busName} of the ${target.name} since ${clock(began)} UTC${soon}.`);
    const ends = { until: began + (options.for ?? Infinity), count: options.count ?? Infinity };
    for await (const body of hear({ ...io, receive, ...ends })) {
      heard += 1;
      await onEvent(body);
    }
  } catch (error) {
    throw target.data !== undefined && isUnreachable(error) ? runEnded(target) : error;
  } finally {
    sqs.destroy();
    await removeTemporaryRule(target, rule.name).catch((error: unknown) => {
      const why = `The rule and queue ${rule.name} could not be removed (${errorCode(error)})`;
      io.say(`${why}: ${nextCommand("doctor", target)} does it in 15 minutes.`);
    });
    io.say(`Heard ${count(heard, "event")} in ${span(io.now() - began)}.`);
  }
  if (io.signal.aborted) throw new InterruptedError();
}

async function take(client: SQSClient, QueueUrl: string, wait: number, signal: AbortSignal): Promise<string[]> {
  const receive = new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: wait, MaxNumberOfMessages: 10 });
  try {
    const { Messages = [] } = await client.send(receive, { abortSignal: signal });
    if (Messages.length === 0) return [];
    // Before they are dealt with, which may take longer than SQS waits for it.
    const Entries = Messages.map(({ ReceiptHandle }, i) => ({ Id: `${i}`, ReceiptHandle }));
    await client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
    return Messages.map(({ Body = "" }) => Body);
  } catch (error) {
    if (signal.aborted) return [];
    throw isUnreachable(error) ? error : await askingAws("the queue could not be read", () => Promise.reject(error));
  }
}

export function runEnded(target: Target): Error {
  const hint = "Start npm start again, then try again.";
  return notNow("RUN_ENDED", `the run on the ${target.name} has ended`, { hint });
}

export function isUnreachable(error: unknown): boolean {
  return /^(ECONNREFUSED|ECONNRESET|EPIPE|TimeoutError)$/.test(errorCode(error));
}

/** Which events are meant: parts of an EventBridge event pattern. */
interface Filter {
  "detail-type"?: readonly EventType[];
  detail?: Record<string, unknown>;
}

const FORM = `Give an event pattern as JSON, such as '{"detail":{"data":{"surveyId":[103]}}}'.`;

/** Reads what `--filter` holds, and says where it is wrong. No value is repeated: it could be personal. */
export function readFilter(text: string): Filter {
  const pattern = parseJson(text);
  if (!isObject(pattern)) throw wrong("--filter is no JSON object");
  const { "detail-type": types, detail, ...others } = pattern;
  const [other] = Object.keys(others);
  if (other !== undefined) throw wrong(`--filter: ${other} is none of its fields, detail and detail-type`);
  if (types === undefined && detail === undefined) throw wrong("--filter names no field");
  const isKnown = (type: unknown): type is EventType => EVENT_TYPES.some((known) => known === type);
  const named = types ?? EVENT_TYPES;
  if (!Array.isArray(named) || named.length === 0 || !named.every(isKnown))
    throw wrong(`--filter: detail-type must be a list of types, out of ${EVENT_TYPES.join(", ")}`);
  const [problem] = detail === undefined ? [] : checkWhere(detail, named);
  if (problem !== undefined) throw wrong(`--filter: ${pathText(["detail", ...problem.path])} ${problem.message}`);
  try {
    createMatcher(pattern);
  } catch {
    throw wrong("--filter is no event pattern that EventBridge takes");
  }
  return pattern;
}

/** The pattern of a rule: the filter, for events of these sources alone, since others may use the bus too. */
export function patternOf(filter: Filter, eventSources: Iterable<string>): object {
  return { source: [...new Set(eventSources)], ...filter };
}

function wrong(message: string): UsageError {
  return new UsageError(message, { hint: FORM });
}
