import { isObject } from "../json.ts";
import { DEFAULT_BUS } from "./bus.ts";
import { LONGEST_REQUEST } from "./invocation.ts";
import { DEFAULT_NAME, DEFAULT_RETENTION, DEFAULT_TIMEOUTS } from "./source.ts";
import { DAY, formatDuration, MINUTE, parseDuration } from "./units.ts";

/** A problem with the path as keys, relative to the long form of the configuration. */
export interface FoundProblem {
  path: PropertyKey[];
  message: string;
}

/** How much longer an object must live than an archived event that points to it: time to notice, replay and consume. */
const CLAIM_CHECK_MARGIN = 14 * DAY;

/** The checks that need more than one field. They read the raw input, so that they also speak when another field is bad. */
export function crossChecks(input: Record<string, unknown>, deployed: boolean): FoundProblem[] {
  const sources = list(input.sources).map(fields);
  const bus = fields(input.bus);
  return [
    ...names("sources", sources, DEFAULT_NAME),
    ...(deployed ? sources.flatMap(scheduledInterval) : []),
    ...sources.flatMap(timeouts),
    ...sources.flatMap(findBy),
    ...(bus.archive === false ? [] : sources.flatMap(claimCheck)),
    ...names("webhooks", list(input.webhooks).map(fields)),
    ...factsBus(bus),
  ];
}

/** The mistakes of a pattern on the event's detail, as paths within it. The contract knows its fields, so the caller brings it. */
export type PatternCheck = (where: Record<string, unknown>, types: unknown) => readonly FoundProblem[];

/** The patterns of all webhooks. */
export function patternProblems(webhooks: unknown, check: PatternCheck): FoundProblem[] {
  return list(webhooks).flatMap((webhook, index) => {
    const { where, types } = fields(webhook);
    if (!isObject(where)) return [];
    return check(where, types).map(({ path, message }) => ({ path: ["webhooks", index, "where", ...path], message }));
  });
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

type Fields = Record<string, unknown>;

function fields(value: unknown): Fields {
  return isObject(value) ? value : {};
}

function names(field: "sources" | "webhooks", all: readonly Fields[], usual?: string): FoundProblem[] {
  const first = new Map<string, { index: number; name: string }>();
  return all.flatMap(({ name = usual }, index) => {
    if (typeof name !== "string") return [];
    // Names of CloudFormation outputs hold letters and digits only.
    const key = name.replaceAll(/[^A-Za-z0-9]/g, "");
    const earlier = first.get(key);
    if (earlier === undefined) {
      first.set(key, { index, name });
      return [];
    }
    const how = earlier.name === name ? "the same as" : 'only "-" or "_" away from';
    return [{ path: [field, index, "name"], message: `must be unique, but is ${how} ${field}[${earlier.index}].name` }];
  });
}

/** A schedule comes once a minute at most, and the ticks within a minute divide it evenly. */
function scheduledInterval(source: Fields, index: number): FoundProblem[] {
  const interval = parseDuration(source.interval);
  if (interval === undefined) return [];
  const isEven = interval >= 10_000 && (interval % MINUTE === 0 || MINUTE % interval === 0);
  const message = 'must be whole minutes, or "10s", "12s", "15s", "20s" or "30s"';
  return isEven ? [] : [{ path: ["sources", index, "interval"], message }];
}

/** A request that takes all of its time must leave some to the others of its poll. */
function timeouts({ advanced }: Fields, index: number): FoundProblem[] {
  const given = fields(fields(advanced).timeouts);
  const connect = parseDuration(given.connect ?? DEFAULT_TIMEOUTS.connect);
  const response = parseDuration(given.response ?? DEFAULT_TIMEOUTS.response);
  if (connect === undefined || response === undefined || connect + response <= LONGEST_REQUEST) return [];
  const message = `connect and response must be at most ${formatDuration(LONGEST_REQUEST)} together, and are ${formatDuration(connect + response)}: else a poll does not come to its end within the function's 15 minutes`;
  return [{ path: ["sources", index, "advanced", "timeouts"], message }];
}

/** On one bus a rule would match whole events too. */
function factsBus({ name, facts }: Fields): FoundProblem[] {
  if (!isObject(facts) || facts.name !== (name ?? DEFAULT_BUS)) return [];
  return [{ path: ["bus", "facts", "name"], message: "must be another name than that of the bus with whole events" }];
}

/** A referrer that is never read can find nobody. */
function findBy({ privacy, enrich }: Fields, index: number): FoundProblem[] {
  const { findBy: keys, referrer } = fields(privacy);
  const isRead = referrer !== "drop" && fields(enrich).metadata !== false;
  if (isRead || !list(keys).includes("referrer")) return [];
  const message =
    'cannot hold "referrer" while privacy.referrer is "drop" or enrich.metadata false: it is never read then';
  return [{ path: ["sources", index, "privacy", "findBy"], message }];
}

function claimCheck({ retention }: Fields, index: number): FoundProblem[] {
  const given = fields(retention);
  const archive = parseDuration(given.archive ?? DEFAULT_RETENTION.archive);
  const kept = parseDuration(given.claimCheck ?? DEFAULT_RETENTION.claimCheck);
  if (archive === undefined || kept === undefined || kept >= archive + CLAIM_CHECK_MARGIN) return [];
  const least = formatDuration(archive + CLAIM_CHECK_MARGIN);
  const message = `must be at least ${least} (archive + ${formatDuration(CLAIM_CHECK_MARGIN)}): a replayed event points to its object`;
  return [{ path: ["sources", index, "retention", "claimCheck"], message }];
}
