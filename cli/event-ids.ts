import { eventId } from "../lib/events/index.ts";
import { parseJson } from "../lib/secrets/secret-values.ts";

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;
const NAMED = new RegExp(`(?<![A-Za-z])eventId\\\\*"\\s*:\\s*\\\\*"(${UUID.source})`, "gi");
const ONLY = new RegExp(`^${UUID.source}$`, "i");

export function isEventId(text: string): boolean {
  return ONLY.test(text);
}

/** The first event id in a text, such as an attribute or the name of an object. */
export function eventIdIn(text: string): string | undefined {
  return UUID.exec(text)?.[0].toLowerCase();
}

/** Most revisions that are tried: nobody changes a response so often. */
const MOST_REVISIONS = 10_000;

/** Ids of the events of a response before its last one, by their revision; undefined where the last one is none that a revision has. */
export function olderEventIds(
  source: string,
  surveyId: number,
  responseId: number,
  last: string,
): string[] | undefined {
  const older: string[] = [];
  for (let revision = 1; revision <= MOST_REVISIONS; revision += 1) {
    const id = eventId(source, surveyId, responseId, revision);
    if (id === last) return older;
    older.push(id);
  }
  return undefined;
}

/**
 * Ids of events with the contents of a response in one line of a consumer's list. A line is an id, the first column of a CSV, or JSON of
 * whole events, however they are wrapped. Undefined where it holds none at all. Test events and events of another kind count as nothing to
 * be told of.
 */
export function eventIdsIn(line: string): string[] | undefined {
  const text = line.trim();
  if (!/^[{[]/.test(text)) {
    const id = eventIdIn(text.split(/[,;\t]/, 1)[0] ?? "");
    return id === undefined ? undefined : [id];
  }
  const value = parseJson(text);
  if (value !== undefined) return idsOf(value, 0);
  // Some writers put one document right behind the other.
  const ids = [...text.matchAll(NAMED)].map(([, id = ""]) => id.toLowerCase());
  return ids.length === 0 ? undefined : ids;
}

/** Where services put the event that they hand on. */
const WRAPPERS = ["detail", "requestPayload", "Message", "body", "event", "Records"] as const;
const MOST_WRAPPED = 6;

function idsOf(value: unknown, depth: number): string[] | undefined {
  if (depth > MOST_WRAPPED) return undefined;
  if (typeof value === "string") return isEventId(value) ? [value.toLowerCase()] : idsOf(parseJson(value), depth + 1);
  if (Array.isArray(value)) return joined(value.map((one) => idsOf(one, depth + 1)));
  if (typeof value !== "object" || value === null) return undefined;
  const fields = value as Record<string, unknown>;
  const { meta, eventId: own } = fields;
  if (typeof meta === "object" && meta !== null && "eventId" in meta) return ofMeta(meta);
  if (typeof own === "string" && isEventId(own)) return [own.toLowerCase()];
  return joined(WRAPPERS.map((name) => (fields[name] === undefined ? undefined : idsOf(fields[name], depth + 1))));
}

/** Only events with contents have a revision. */
function ofMeta(meta: { eventId?: unknown; revision?: unknown; test?: unknown }): string[] | undefined {
  const { eventId: id, revision, test } = meta;
  if (typeof id !== "string" || !isEventId(id)) return undefined;
  return typeof revision === "number" && test !== true ? [id.toLowerCase()] : [];
}

/** The details of whole events in one line, however they are wrapped; test events tell of nothing. */
export function detailsIn(line: string): { meta: object; data: object }[] {
  return detailsOf(parseJson(line), 0);
}

function detailsOf(value: unknown, depth: number): { meta: object; data: object }[] {
  if (depth > MOST_WRAPPED || value === null) return [];
  if (typeof value === "string") return detailsOf(parseJson(value), depth + 1);
  if (Array.isArray(value)) return value.flatMap((one) => detailsOf(one, depth + 1));
  if (typeof value !== "object") return [];
  const fields = value as Record<string, unknown>;
  const { meta, data } = fields;
  if (typeof meta === "object" && meta !== null && typeof data === "object" && data !== null) {
    return "test" in meta && meta.test === true ? [] : [{ meta, data }];
  }
  return WRAPPERS.flatMap((name) => (fields[name] === undefined ? [] : detailsOf(fields[name], depth + 1)));
}

function joined(some: readonly (string[] | undefined)[]): string[] | undefined {
  const found = some.filter((ids) => ids !== undefined);
  return found.length === 0 ? undefined : found.flat();
}
