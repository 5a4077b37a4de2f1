import * as z from "zod";
import { baseUrlProblem, normalBaseUrl } from "../survey-api/base-url.ts";
import { duration, flag, oneOf, readAs, refuse, section, size, wholeNumber } from "./fields.ts";
import { DAY, formatDuration } from "./units.ts";

/** The periods CloudWatch Logs can keep a log group for, in days. */
const LOG_DAYS = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
];

/** Defaults that checks across fields need as well. */
export const DEFAULT_NAME = "main";
export const DEFAULT_RETENTION = { quarantine: "30d", archive: "30d", claimCheck: "60d", logs: "30d" } as const;
export const DEFAULT_TIMEOUTS = { connect: "5s", response: "30s" } as const;

const baseUrl = z
  .string({ error: "must be the address of the survey service, such as https://surveys.example.com" })
  .transform((text, context) => {
    const problem = baseUrlProblem(text);
    return problem === undefined ? normalBaseUrl(text) : refuse(context, problem);
  });

const NAME = 'must be 1 to 64 letters, digits, "-" or "_", with at least one letter or digit';
const name = z.string({ error: NAME }).regex(/^(?=.*[A-Za-z0-9])[A-Za-z0-9_-]{1,64}$/, { error: NAME });

const START = 'must be "now", "beginning" or a date such as "2026-01-31"';
const startFrom = z
  .string({ error: START })
  .refine((text) => text === "now" || text === "beginning" || isDate(text), { error: START });

const ZONE = 'must be an IANA time zone such as "Europe/Warsaw"';
const timeZone = z.string({ error: ZONE }).refine(isTimeZone, { error: ZONE });

const SURVEYS = 'must be "all", { "include": [ids] } or { "exclude": [ids] }';
const surveyIds = z.array(
  z.int({ error: "must be a survey id, a whole number above 0" }).positive({ error: "must be above 0" }),
  { error: "must be a list of survey ids" },
);
const included = surveyIds.nonempty({ error: "must name at least one survey" });
const chosen = section({ include: included.optional(), exclude: surveyIds.optional() }, SURVEYS);
const surveys = z
  .custom<"all" | { include: number[] } | { exclude: number[] }>(() => true)
  .transform((value, context): "all" | { include: number[] } | { exclude: number[] } => {
    if (value === "all") return value;
    const parsed = readAs(chosen, value, context);
    if (parsed === undefined) return z.NEVER;
    const { include, exclude } = parsed;
    if (include !== undefined && exclude === undefined) return { include };
    if (exclude !== undefined && include === undefined) return { exclude };
    return refuse(context, SURVEYS);
  });

const PERSON_KEYS = ["crk", "referrer"] as const;
const FIND_BY = 'must be a list of "crk" and "referrer"';

const EVENT_SOURCE = 'must be 1 to 256 letters, digits, ".", "-", "_" or "/", not beginning with "aws."';
const eventSource = z
  .string({ error: EVENT_SOURCE })
  .regex(/^(?!aws\.)[A-Za-z0-9._/-]{1,256}$/, { error: EVENT_SOURCE });

const THRESHOLDS = 'must be two numbers by the name of a metric, the lower first, such as { "Effort": [3, 5] }';
const threshold = z.number({ error: THRESHOLDS });
const thresholds = z.record(
  z.string(),
  z.tuple([threshold, threshold], { error: THRESHOLDS }).refine(([low, high]) => low < high, { error: THRESHOLDS }),
  { error: THRESHOLDS },
);

const SECRET = 'must be the name of a secret: 1 to 256 letters, digits or any of "/_+=.@-"';
const secretName = z.string({ error: SECRET }).regex(/^[A-Za-z0-9/_+=.@-]{1,256}$/, { error: SECRET });

const rate = { error: "must be a number above 0 and at most 1000" };

/** EventBridge keeps archives, and S3 objects, by whole days. */
const days = () => duration({ min: DAY, whole: DAY });

const logs = days().refine((kept) => LOG_DAYS.includes(kept / DAY), {
  error: `must be a period CloudWatch Logs offers: ${LOG_DAYS.map((count) => formatDuration(count * DAY)).join(", ")}`,
});

const advanced = section({
  rescan: section({ every: period().prefault("15m"), full: period().prefault("7d") }).prefault({}),
  // With none at all an idle account would never be read as a whole, and nothing could be proved.
  // So many read the heads of a hundred surveys of ten pages in time. An account with less to do takes less.
  backgroundRequests: wholeNumber(1, 1000).prefault(30),
  headPages: wholeNumber(1, 10_000).prefault(20),
  contents: oneOf("auto", "pages", "single").prefault("auto"),
  concurrency: wholeNumber(1, 256).prefault(16),
  timeouts: section({
    connect: period().prefault(DEFAULT_TIMEOUTS.connect),
    response: period().prefault(DEFAULT_TIMEOUTS.response),
  }).prefault({}),
  enrichmentPatience: duration().prefault("15m"),
  absentAfter: duration().prefault("1m"),
  // A publish batch ends at 900 KB, so a larger event could never be sent.
  inlineLimit: size("900KB").prefault("200KB"),
});

export const sourceSchema = section({
  name: name.prefault(DEFAULT_NAME),
  baseUrl,
  enabled: flag().prefault(true),
  surveys: surveys.prefault("all"),
  interval: duration().prefault("1m"),
  startFrom: startFrom.prefault("now"),
  timeZone: timeZone.optional(),
  enrich: section({ metrics: flag().prefault(true), metadata: flag().prefault(true) }).prefault({}),
  questions: oneOf("full", "labels", "none").prefault("full"),
  thresholds: thresholds.prefault({}),
  privacy: section({
    ip: oneOf("keep", "truncate", "drop").prefault("truncate"),
    referrer: oneOf("keep", "drop").prefault("keep"),
    comments: oneOf("keep", "drop").prefault("keep"),
    findBy: z.array(oneOf(...PERSON_KEYS), { error: FIND_BY }).prefault([]),
  }).prefault({}),
  maxRequestsPerSecond: z.number(rate).positive(rate).max(1000, rate).optional(),
  retention: section({
    quarantine: days().prefault(DEFAULT_RETENTION.quarantine),
    archive: days().prefault(DEFAULT_RETENTION.archive),
    claimCheck: days().prefault(DEFAULT_RETENTION.claimCheck),
    logs: logs.prefault(DEFAULT_RETENTION.logs),
  }).prefault({}),
  eventSource: eventSource.prefault("survey-poller"),
  logLevel: oneOf("debug", "info", "warn", "error").prefault("info"),
  credentialsSecret: secretName.optional(),
  advanced: advanced.prefault({}),
});

export const advancedFields: readonly string[] = Object.keys(advanced.shape);
/** The names by which a source object is known, also where an advanced one stands beside the others by mistake. */
export const sourceFields: readonly string[] = [...Object.keys(sourceSchema.shape), ...advancedFields];

/** One source with all of its fields side by side: which of them are advanced is a matter of the written form. */
export function flatSource({ advanced, ...source }: z.output<typeof sourceSchema>) {
  return { ...source, ...advanced };
}

function period() {
  return duration({ min: 1 });
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  // Some engines roll 30 February over into March instead of refusing it.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** Intl also takes bare offsets, which know no summer time: they would give wrong instants for half the year. */
function isTimeZone(text: string): boolean {
  if (!/^[A-Za-z]/.test(text)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: text });
    return true;
  } catch {
    return false;
  }
}
