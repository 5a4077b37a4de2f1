import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { errorCode } from "../errors.ts";
import { eventId } from "../events/index.ts";
import { isObject } from "../json.ts";
import { parseJson } from "../secrets/secret-values.ts";
import { CommandError, InterruptedError } from "./errors.ts";
import type { Io } from "./io.ts";

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;
const NAMED = new RegExp(`(?<![A-Za-z])eventId\\\\*"\\s*:\\s*\\\\*"(${UUID.source})`, "gi");
const ONLY = new RegExp(`^${UUID.source}$`, "i");

export function isEventId(text: string): boolean {
  return ONLY.test(text);
}

/** The first event id in a text, such as an attribute or the name of an object; undefined where there is none. */
export function eventIdsIn(text: string): [string] | undefined {
  const id = UUID.exec(text)?.[0].toLowerCase();
  return id === undefined ? undefined : [id];
}

/** Most revisions that are tried: nobody changes a response so often. */
const MOST_REVISIONS = 10_000;

/** Ids of the events of a response before its last one, by their revision; undefined where the last one is none that a revision has. */
export function olderEventIds(source: string, surveyId: number, responseId: number, last: string) {
  const older: string[] = [];
  for (let revision = 1; revision <= MOST_REVISIONS; revision += 1) {
    const id = eventId(source, surveyId, responseId, revision);
    if (id === last) return older;
    older.push(id);
  }
  return undefined;
}

/** The lines of the file that a flag names; `-` is standard input. */
export async function* linesOf(
  flag: string,
  file: string,
  { input, signal }: Pick<Io, "input" | "signal">,
): AsyncGenerator<string> {
  const stream = file === "-" ? input : createReadStream(file);
  try {
    for await (const line of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (signal.aborted) throw new InterruptedError();
      yield line;
    }
  } catch (error) {
    throw error instanceof InterruptedError ? error : unreadable(flag, error);
  }
}

export function unreadable(flag: string, cause: unknown): CommandError {
  const message = `the file of ${flag} cannot be read (${errorCode(cause)})`;
  const hint = "Give a file with one event, or one event id, a line.";
  return new CommandError("FILE_UNREADABLE", message, { hint, cause });
}

/** What is told of an event: its id where it has the contents of a response, and its detail where it is whole. Of test events nothing is told. */
interface Told {
  id?: string;
  detail?: { meta: object; data: object };
}

/** What one line of a consumer's list tells. A line is an id, the first column of a CSV, or JSON of whole events, however they are wrapped. */
export function eventsIn(line: string): Told[] {
  const text = line.trim();
  if (!/^[{[]/.test(text)) return (eventIdsIn(text.split(/[,;\t]/, 1)[0] ?? "") ?? []).map((id) => ({ id }));
  const value = parseJson(text);
  if (value !== undefined) return toldBy(value, 0);
  // Some writers put one document right behind the other.
  return [...text.matchAll(NAMED)].map(([, id = ""]) => ({ id: id.toLowerCase() }));
}

/** Where services put the event that they hand on. */
const WRAPPERS = ["detail", "requestPayload", "Message", "body", "event", "Records"] as const;
const MOST_WRAPPED = 6;

function toldBy(value: unknown, depth: number): Told[] {
  if (depth > MOST_WRAPPED) return [];
  if (typeof value === "string") return isEventId(value) ? withId(value) : toldBy(parseJson(value), depth + 1);
  if (Array.isArray(value)) return value.flatMap((one) => toldBy(one, depth + 1));
  if (!isObject(value)) return [];
  const { meta, data, eventId: own } = value;
  if (isObject(meta) && "eventId" in meta) {
    const { eventId: id, revision, test } = meta;
    if (typeof id !== "string" || !isEventId(id)) return [];
    if (test === true) return [{}];
    // Only events with contents have a revision.
    const [told] = typeof revision === "number" ? withId(id) : [];
    return [{ ...told, ...(isObject(data) ? { detail: { meta, data } } : {}) }];
  }
  if (typeof own === "string" && isEventId(own)) return withId(own);
  return WRAPPERS.flatMap((name) => (name in value ? toldBy(value[name], depth + 1) : []));
}

const withId = (text: string): Told[] => [{ id: text.toLowerCase() }];
