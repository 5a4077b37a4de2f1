import type * as z from "zod";
import { monitoringFields } from "../lib/config/monitoring.ts";
import { configSchema } from "../lib/config/schema.ts";

/** One field of the configuration. */
interface Field {
  /** Below a source from the source on: `privacy.ip`. Elsewhere from the top on: `bus.name`, `webhooks[].url`. */
  path: string;
  /** The values that it takes, in the words of the error for any other value. */
  takes: string;
  /** As JSON, "required", or "none". */
  default: string;
}

/** Every field, in the order of the schema, as a deployment takes them. */
export function configurationFields(): Field[] {
  const { sources, monitoring, ...rest } = configSchema({ deployed: true }).shape;
  return [
    ...Object.entries(shapeOf(elementOf(sources)) ?? {}).flatMap(([name, schema]) => fieldsOf(name, schema)),
    ...Object.entries(rest).flatMap(([name, schema]) => fieldsOf(name, schema)),
    ...fieldsOf("monitoring", monitoring),
    ...Object.entries(monitoringFields().shape).flatMap(([name, schema]) => fieldsOf(`monitoring.${name}`, schema)),
  ];
}

/** A section is its fields; a list of sections is itself, then the fields of an element. */
function fieldsOf(path: string, schema: z.core.$ZodType): Field[] {
  const inner = unwrapped(schema);
  const shape = shapeOf(inner);
  if (shape !== undefined) return Object.entries(shape).flatMap(([name, field]) => fieldsOf(`${path}.${name}`, field));
  const element = inner._zod.def.type === "array" ? shapeOf(elementOf(inner)) : undefined;
  const elements = Object.entries(element ?? {}).flatMap(([name, field]) => fieldsOf(`${path}[].${name}`, field));
  return [{ path, takes: takenBy(inner), default: defaultOf(schema) }, ...elements];
}

function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  const { innerType } = schema._zod.def as { innerType?: z.core.$ZodType };
  return innerType === undefined ? schema : unwrapped(innerType);
}

function defaultOf(schema: z.core.$ZodType): string {
  const { type, defaultValue } = schema._zod.def as { type: string; defaultValue?: unknown };
  if (type === "optional") return "none";
  return type === "prefault" ? `\`${JSON.stringify(defaultValue)}\`` : "required";
}

function shapeOf(schema: z.core.$ZodType): Record<string, z.core.$ZodType> | undefined {
  const { shape, in: input } = schema._zod.def as { shape?: Record<string, z.core.$ZodType>; in?: z.core.$ZodType };
  // A section that is read further once it is checked.
  return shape ?? (input === undefined ? undefined : shapeOf(input));
}

function elementOf(schema: z.core.$ZodType): z.core.$ZodType {
  const { element } = schema._zod.def as { element?: z.core.$ZodType };
  if (element === undefined) throw new Error("a list was expected in the schema of the configuration");
  return unwrapped(element);
}

/** Each field says itself what it takes, to whoever gives it anything else. */
function takenBy(schema: z.core.$ZodType): string {
  const { issues = [] } = (schema as z.ZodType).safeParse(Symbol("anything else"), { jitless: true }).error ?? {};
  const [{ message } = { message: "" }] = issues;
  const what = message.replace(/^must be /, "");
  if (what.startsWith("a duration ")) return "duration";
  if (what.startsWith("a size ")) return "size";
  return what.replaceAll(/\{(?:[^{}]|\{[^{}]*\})*\}|"[^"]*"|https:\/\/\S+\w/g, (value) => `\`${value}\``);
}

/** Fields that answer one question of a reader, each with what it means. */
interface Group {
  title: string;
  /** By path. */
  meanings: Readonly<Record<string, string>>;
}

/** The fields of a source. */
const sourceGroups = {
  service: {
    title: "Which service, which surveys",
    meanings: {
      baseUrl:
        "Address of the survey service: https, or plain http on loopback. Another service under the same `name` is refused (`STATE_REFUSED`).",
      name: "Identity of the source: a part of every key and event id. A new name begins a new ledger and gives new event ids.",
      enabled: "`false` stops the schedule of this source.",
      surveys: "Which surveys are polled.",
      credentialsSecret:
        "Name of a secret that is there already. By default the deployment makes an empty one. Only the deployment reads this field.",
    },
  },
  history: {
    title: "Where history begins",
    meanings: {
      startFrom:
        "What completed earlier is never emitted. It is one date for the whole source, found at the beginning of the first tick, and refused if it changes later.",
      timeZone: "Zone of the service's dates. Without it, events have local times and no instants.",
    },
  },
  contents: {
    title: "What an event holds",
    meanings: {
      questions:
        "`full`: text of each question and labels of the chosen answers. `labels`: these labels alone. One request for each edit of a survey.",
      thresholds:
        "Points by which `summary.metrics` calls a metric low (below the first), middle, or high (from the second on). They go before those that the service has for the metric, which count where both lie on its scale.",
      "enrich.metrics": "Whether an event has metrics. One request a response.",
      "enrich.metadata": "Whether an event has metadata. One request a response.",
      eventSource: "`source` of the events.",
    },
  },
  privacy: {
    title: "Personal data",
    meanings: {
      "privacy.ip":
        "`truncate` keeps 24 bits of an IPv4 address and 48 of an IPv6 one. It acts before anything is stored or published, as the other privacy fields do.",
      "privacy.referrer": "A key that the inviter sets, like `crk`: it may name the respondent.",
      "privacy.comments":
        "What respondents wrote. `drop` also leaves out fields of records that the API document does not have.",
    },
  },
  speed: {
    title: "How soon, how fast",
    meanings: {
      interval: "Time between ticks. Deployed, whole minutes.",
      maxRequestsPerSecond:
        "A ceiling for each invocation, of which a tick and a backlog may run at once. Below it the poller learns the rate that the service allows.",
    },
  },
  kept: {
    title: "How long things are kept",
    meanings: {
      "retention.quarantine": "Records of quarantined responses.",
      "retention.archive":
        "Events that can be replayed. Whole days. Of several sources the longest holds, as for the next two.",
      "retention.claimCheck":
        "Answers of large events. At least `retention.archive` and 14 days, unless `bus.archive` is `false`.",
      "retention.logs": "Logs. One of the periods that CloudWatch Logs offers.",
      logLevel:
        "The least that is logged of this source. `info` names each event of a response by its ids, `debug` all events.",
    },
  },
  advanced: {
    title: "Advanced",
    meanings: {
      "advanced.rescan.every":
        "How often a survey is scanned although its counts stand still: its first page, then its first two, four and so on, to the end of the list, then one again. With many hundreds of surveys all of it comes less often.",
      "advanced.rescan.full": "How often all pages are read, which closes the books.",
      "advanced.backgroundRequests":
        "Most requests a tick for all slow work. An account with less to do takes less. News add a fifth of what they cost.",
      "advanced.headPages": "News on more pages than this are a backlog: they are read from the oldest on.",
      "advanced.contents":
        "Where the answers of an event come from. `auto`: pages, until the service is seen to scatter the records of a response. `single`: the request for one response. `pages`: nothing else.",
      "advanced.concurrency": "Requests in flight.",
      "advanced.timeouts.connect":
        "Time to reach the service. Together with `advanced.timeouts.response` at most `110s`.",
      "advanced.timeouts.response": "Time for one answer.",
      "advanced.enrichmentPatience":
        "How long failing metrics, metadata or questions are asked for, three times at least. Then the event goes out marked incomplete.",
      "advanced.absentAfter": "How long metrics or metadata must stay absent to be believed absent.",
      "advanced.inlineLimit": "A larger event has its answers in S3. At most `900KB`.",
    },
  },
} satisfies Record<string, Group>;

/** The fields beside `sources`. */
const topGroups = {
  bus: {
    title: "The bus",
    meanings: {
      "bus.name": "One for each account and region.",
      "bus.arnParameter": "SSM parameter that holds the bus's ARN. By default `/survey-poller/<bus>/bus-arn`.",
      "bus.archive": "Keeps events for a replay. $0.10 a GB taken in, $0.023 a GB and month.",
      "bus.schemaRegistry": "Puts the contract into EventBridge's schema registry. Free.",
      "bus.logging": "Logs what could not be delivered, without the event. $0.50 a GB.",
    },
  },
  events: {
    title: "Further events",
    meanings: {
      "events.response.updated": "Emits an event when a response has changed since its last event.",
      "events.response.deleted": "Emits an event when a response has gone from the service.",
      "events.books.closed": "Emits an event when the books of a survey have closed.",
      "events.survey.changed": "Emits an event when a survey has a new edition.",
      "events.survey.counted": "Emits an event when the counts of a survey have changed, once an hour at most.",
    },
  },
  subscribers: {
    title: "Subscribers and webhooks",
    meanings: {
      "subscribers.accounts": "Other accounts that may make rules on the bus. At most 150.",
      "subscribers.organizationId": "Lets every account of this organization do so.",
      webhooks: "HTTPS endpoints that get events, each an object.",
      "webhooks[].name": "Name of the webhook, unique.",
      "webhooks[].url": "Where events are sent.",
      "webhooks[].types": "Types of events that are sent.",
      "webhooks[].where": "Sends only events whose detail matches.",
      "webhooks[].auth.type": "How the endpoint knows the caller. Without `auth` no secret is sent.",
      "webhooks[].auth.header": "Goes with the type `header` alone. By default `x-api-key`.",
      "webhooks[].auth.secret": "Name of the secret whose value is sent.",
      "webhooks[].signing.secret": "Name of the secret that signs each delivery by Standard Webhooks.",
      "webhooks[].ratePerSecond": "Deliveries a second at most. What is above waits.",
      "webhooks[].retry.maxAge": "How long a delivery is tried again. At most `1d`.",
      "webhooks[].retry.attempts": "How often it is tried again.",
    },
  },
  monitoring: {
    title: "Monitoring",
    meanings: {
      monitoring: "A level alone, or an object with the fields below.",
      "monitoring.level": "`minimal`: six metrics a source. `full`: all 22. The log has the rest.",
      "monitoring.email": "Who is told of alarms. The address first gets a mail that asks it to confirm.",
      "monitoring.alarms": "Six alarms a source, and one on each dead-letter queue.",
      "monitoring.dashboard": "Is it well, how late is it, what does it cost. By default with `full` alone.",
      "monitoring.lagThreshold": "An alarm is raised when most events come later than this after completion.",
      "monitoring.runbook": "Where alarms say that the runbook is: the address of your copy.",
    },
  },
} satisfies Record<string, Group>;

const groups: Readonly<Record<string, Group>> = { ...sourceGroups, ...topGroups };
const meanings: Readonly<Record<string, string>> = Object.assign(
  {},
  ...Object.values(groups).map((one) => one.meanings),
);

/**
 * The tables of the configuration, by the marker that each stands at.
 *
 * @throws Error when a field has no meaning, or a meaning no field
 */
export function configurationTables(): ReadonlyMap<string, string> {
  const fields = new Map(configurationFields().map((field) => [field.path, field]));
  const unexplained = [...fields.keys()].filter((path) => meanings[path] === undefined);
  const unknown = Object.keys(meanings).filter((path) => !fields.has(path));
  if (unexplained.length + unknown.length > 0) {
    throw new Error(
      `codegen/configuration.ts: no meaning for ${unexplained.join(", ") || "none"}; no field for ${unknown.join(", ") || "none"}`,
    );
  }
  const rows = (paths: readonly string[]): Field[] => paths.flatMap((path) => fields.get(path) ?? []);
  return new Map(Object.entries(groups).map(([name, group]) => [name, table(rows(Object.keys(group.meanings)))]));
}

/** The text with each table between its markers. Texts without a marker of a table lack it. */
export function withTables(text: string, tables: ReadonlyMap<string, string>): string {
  return text.replace(
    /(<!-- generated: ([\w ]+) -->)[\s\S]*?(<!-- end: \2 -->)/g,
    (_, begin: string, name: string, end: string) => {
      const found = tables.get(name);
      if (found === undefined) throw new Error(`there is no table "${name}": ${[...tables.keys()].join(", ")}`);
      return `${begin}\n\n${found}\n\n${end}`;
    },
  );
}

function table(fields: readonly Field[]): string {
  const rows = fields.map((field) => [
    `\`${shown(field.path)}\``,
    field.takes,
    shownDefault(field),
    meanings[field.path] ?? "",
  ]);
  return [["field", "takes", "default", "meaning"], ["---", "---", "---", "---"], ...rows]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
}

/** Types of events hold a dot themselves. */
function shown(path: string): string {
  return path.replace(/^events\.(.*)/, 'events."$1"');
}

function shownDefault(field: Field): string {
  // An empty section, which is its level alone.
  return field.path === "monitoring" ? '`"minimal"`' : field.default;
}
