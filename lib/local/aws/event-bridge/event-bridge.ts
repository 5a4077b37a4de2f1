import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import pLimit from "p-limit";
import { z } from "zod";
import { sumOf } from "../../../cli/verbs/status/answer.ts";
import type { EventEnvelope } from "../../../events/envelope.ts";
import { isObject } from "../../../json.ts";
import { parseJson } from "../../../secrets/secret-values.ts";
import { ACCOUNT, AwsError, type Operation, operation, REGION } from "../aws-json.ts";
import { replaceFile } from "../data-folder.ts";
import type { QueuesAndBuckets } from "../queues-and-buckets.ts";
import { createMatcher, InvalidEventPatternError, type Matcher } from "./matcher.ts";

/** Receives every event that a bus has accepted. */
export type EventSink = (envelope: EventEnvelope, busName: string) => void | Promise<void>;

interface EventBridgeOptions {
  /** Keeps buses, rules and targets; replaced on every change. */
  file: string;
  queues: Pick<QueuesAndBuckets, "send">;
  onEvent: EventSink;
}

const name = z.string().regex(/^[.\-_A-Za-z0-9]{1,64}$/);
/** A queue gets whole events: no other target, and no option, is offered here. */
const target = z.strictObject({ Id: name, Arn: z.string().regex(/^arn:aws:sqs:/) });
const rule = z.object({
  name: z.string(),
  bus: z.string(),
  pattern: z.string(),
  state: z.enum(["ENABLED", "DISABLED"]),
  targets: z.array(target),
});
const bus = z.object({ name: z.string(), createdAt: z.number() });
const saved = z.object({ buses: z.array(bus), rules: z.array(rule) });
type Rule = z.infer<typeof rule>;

/** What requests about a bus, and about a rule on it, have in common. */
const onBus = z.looseObject({ EventBusName: z.string().optional() });
const ofRule = onBus.extend({ Rule: name });

/** One event of a PutEvents request. Fields for which a single entry fails are optional here. */
const putEventsEntry = z.looseObject({
  Source: z.string().optional(),
  DetailType: z.string().optional(),
  /** JSON text. */
  Detail: z.string().optional(),
  EventBusName: z.string().optional(),
  Resources: z.array(z.string()).default([]),
  /** Epoch seconds, with fractions. */
  Time: z.number().optional(),
});
type PutEventsEntry = z.infer<typeof putEventsEntry>;

/** The limit on the entries of one request together, in bytes (1 MB since January 2026). */
const MAX_REQUEST_BYTES = 1_048_576;

/** The operations of EventBridge that a poller, the command and subscribers' tests ask for. Events go to queues, whole. */
export function eventBridgeOperations({ file, queues, onEvent }: EventBridgeOptions): Record<string, Operation> {
  const state = existsSync(file) ? saved.parse(JSON.parse(readFileSync(file, "utf8"))) : { buses: [], rules: [] };
  const matchers = new Map<string, Matcher>();
  // One event after the other, across requests too: the sink need not be safe for two calls at once.
  const inTurn = pLimit(1);

  function knownBus(nameOrArn = "default") {
    const busName = nameOrArn.split(":event-bus/").at(-1);
    return [{ name: "default", createdAt: 0 }, ...state.buses].find((one) => one.name === busName);
  }

  function findBus(nameOrArn: string | undefined) {
    const found = knownBus(nameOrArn);
    if (found !== undefined) return found;
    throw new AwsError("ResourceNotFoundException", `Event bus ${nameOrArn} does not exist.`);
  }

  function rulesOn(nameOrArn: string | undefined): Rule[] {
    const on = findBus(nameOrArn).name;
    return state.rules.filter((one) => one.bus === on);
  }

  function findRule({ Rule: ruleName, EventBusName }: z.infer<typeof ofRule>): Rule {
    const found = rulesOn(EventBusName).find((one) => one.name === ruleName);
    if (found !== undefined) return found;
    throw new AwsError("ResourceNotFoundException", `Rule ${ruleName} does not exist on EventBus ${EventBusName}.`);
  }

  /** Puts a rule, if any is given, in the place of another. */
  function replaceRule(before: Rule | undefined, after?: Rule): void {
    state.rules = [...state.rules.filter((one) => one !== before), ...(after === undefined ? [] : [after])];
    replaceFile(file, JSON.stringify(state));
  }

  function matcherOf(pattern: string): Matcher {
    const matcher = matchers.get(pattern) ?? createMatcher(parseJson(pattern));
    matchers.set(pattern, matcher);
    return matcher;
  }

  async function accept(entry: PutEventsEntry): Promise<object> {
    const id = randomUUID();
    try {
      const envelope = envelopeOf(entry, id);
      const on = knownBus(entry.EventBusName);
      // As on AWS: an event for a bus that does not exist is acknowledged, and seen by nobody.
      if (on === undefined) return { EventId: id };
      await onEvent(envelope, on.name);
      for (const { state: isOn, pattern, targets } of rulesOn(on.name)) {
        if (isOn !== "ENABLED" || !matcherOf(pattern)(envelope)) continue;
        for (const { Arn } of targets) await queues.send(Arn, JSON.stringify(envelope));
      }
      return { EventId: id };
    } catch (error) {
      const ErrorCode = error instanceof AwsError ? error.code : "InternalFailure";
      return { ErrorCode, ErrorMessage: error instanceof Error ? error.message : String(error) };
    }
  }

  return {
    CreateEventBus: operation(z.looseObject({ Name: z.string().regex(/^[/.\-_A-Za-z0-9]{1,256}$/) }), ({ Name }) => {
      if (knownBus(Name)) throw new AwsError("ResourceAlreadyExistsException", `Event bus ${Name} already exists.`);
      state.buses.push({ name: Name, createdAt: Date.now() / 1000 });
      replaceFile(file, JSON.stringify(state));
      return { EventBusArn: arnOf(`event-bus/${Name}`) };
    }),
    DescribeEventBus: operation(z.looseObject({ Name: z.string().optional() }), ({ Name }) => {
      const found = findBus(Name);
      return { Name: found.name, Arn: arnOf(`event-bus/${found.name}`), CreationTime: found.createdAt };
    }),
    PutRule: operation(
      onBus.extend({ Name: name, EventPattern: z.string().max(4096), State: rule.shape.state.default("ENABLED") }),
      ({ Name, EventBusName, EventPattern, State }) => {
        const before = rulesOn(EventBusName).find((one) => one.name === Name);
        try {
          matcherOf(EventPattern);
        } catch (error) {
          if (!(error instanceof InvalidEventPatternError)) throw error;
          throw new AwsError("InvalidEventPatternException", error.message);
        }
        const named = { name: Name, bus: findBus(EventBusName).name, targets: before?.targets ?? [] };
        const after: Rule = { ...named, pattern: EventPattern, state: State };
        replaceRule(before, after);
        return { RuleArn: shown(after).Arn };
      },
    ),
    DeleteRule: operation(onBus.extend({ Name: name }), ({ Name, EventBusName }) => {
      const found = rulesOn(EventBusName).find((one) => one.name === Name);
      if (found !== undefined && found.targets.length > 0) {
        throw new AwsError("ValidationException", "Rule can't be deleted since it has targets.");
      }
      replaceRule(found);
    }),
    ListRules: operation(onBus.extend({ NamePrefix: z.string().default("") }), ({ EventBusName, NamePrefix }) => {
      const found = rulesOn(EventBusName).filter((one) => one.name.startsWith(NamePrefix));
      return { Rules: found.map(shown).sort((one, other) => (one.Name < other.Name ? -1 : 1)) };
    }),
    PutTargets: operation(ofRule.extend({ Targets: z.array(target).min(1).max(100) }), ({ Targets, ...of }) => {
      const found = findRule(of);
      const byId = new Map([...found.targets, ...Targets].map((one) => [one.Id, one]));
      replaceRule(found, { ...found, targets: [...byId.values()] });
      return { FailedEntryCount: 0, FailedEntries: [] };
    }),
    RemoveTargets: operation(ofRule.extend({ Ids: z.array(z.string()).min(1).max(100) }), ({ Ids, ...of }) => {
      const found = findRule(of);
      replaceRule(found, { ...found, targets: found.targets.filter(({ Id }) => !Ids.includes(Id)) });
      return { FailedEntryCount: 0, FailedEntries: [] };
    }),
    ListTargetsByRule: operation(ofRule, (of) => ({ Targets: findRule(of).targets })),
    /** Answered only after the sink has returned for each accepted event and its queues have it: what is acknowledged outlives the process. */
    PutEvents: operation(z.looseObject({ Entries: z.array(putEventsEntry).min(1).max(10) }), ({ Entries }) => {
      if (sumOf(Entries, sizeOf) > MAX_REQUEST_BYTES) {
        throw new AwsError("ValidationException", "Total size of the entries in the request is over the limit.");
      }
      return inTurn(async () => {
        const results: object[] = [];
        for (const entry of Entries) results.push(await accept(entry));
        return { FailedEntryCount: results.filter((result) => "ErrorCode" in result).length, Entries: results };
      });
    }),
  };
}

function arnOf(resource: string): string {
  return `arn:aws:events:${REGION}:${ACCOUNT}:${resource}`;
}

function shown({ name: Name, bus: EventBusName, pattern: EventPattern, state: State }: Rule) {
  const Arn = arnOf(`rule/${EventBusName === "default" ? Name : `${EventBusName}/${Name}`}`);
  return { Name, Arn, EventPattern, State, EventBusName };
}

/** Size by AWS's rule: 14 for a time, and the UTF-8 bytes of the texts. */
function sizeOf({ Source, DetailType, Detail, Resources, Time }: PutEventsEntry): number {
  const texts = [Source, DetailType, Detail, ...Resources];
  return sumOf(texts, (text) => Buffer.byteLength(text ?? "")) + (Time === undefined ? 0 : 14);
}

/** The event as the bus delivers it. Throws what an entry fails with that is none. */
function envelopeOf(entry: PutEventsEntry, id: string): EventEnvelope {
  for (const required of ["Source", "DetailType", "Detail"] as const) {
    if (entry[required]) continue;
    const reason = `Parameter ${required} is not valid. Reason: ${required} is a required argument.`;
    throw new AwsError("InvalidArgument", reason);
  }
  const { Source = "", DetailType = "", Detail = "", Resources, Time = Date.now() / 1000 } = entry;
  if (Source.startsWith("aws."))
    throw new AwsError("NotAuthorizedForSourceException", "Not authorized for the source.");
  const detail = parseJson(Detail);
  if (!isObject(detail)) throw new AwsError("MalformedDetail", "Detail is malformed.");
  return {
    version: "0",
    id,
    "detail-type": DetailType,
    source: Source,
    account: ACCOUNT,
    time: `${new Date(Time * 1000).toISOString().slice(0, 19)}Z`,
    region: REGION,
    resources: Resources,
    detail,
  };
}
