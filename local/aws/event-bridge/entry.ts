import { z } from "zod";

/** One event of a PutEvents request. Fields for which a single entry fails are optional here. */
export const putEventsEntry = z.looseObject({
  Source: z.string().optional(),
  DetailType: z.string().optional(),
  /** JSON text. */
  Detail: z.string().optional(),
  EventBusName: z.string().optional(),
  Resources: z.array(z.string()).optional(),
  /** Epoch seconds, with fractions. */
  Time: z.number().optional(),
});

export type PutEventsEntry = z.infer<typeof putEventsEntry>;

/** The limit on the entries of one request together, in bytes (1 MB since January 2026). */
export const MAX_REQUEST_BYTES = 1_048_576;

const MAX_DEPTH = 1000;

/** Size by AWS's rule: 14 for a time, and the UTF-8 bytes of the texts. */
export function entrySize(entry: PutEventsEntry): number {
  const texts = [entry.Source, entry.DetailType, entry.Detail, ...(entry.Resources ?? [])];
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text ?? ""), entry.Time === undefined ? 0 : 14);
}

export interface EntryError {
  ErrorCode: string;
  ErrorMessage: string;
}

export type CheckedEntry = { detail: Record<string, unknown> } | { error: EntryError };

export function checkEntry(entry: PutEventsEntry): CheckedEntry {
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

function failed(ErrorCode: string, ErrorMessage: string): CheckedEntry {
  return { error: { ErrorCode, ErrorMessage } };
}

function parseDetail(text: string): Record<string, unknown> | undefined {
  if (depth(text) > MAX_DEPTH) return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) return undefined;
    return parsed as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** Deepest nesting of objects and arrays, counted on the text so that no depth can exhaust the stack. */
function depth(text: string): number {
  let [open, deepest, inString] = [0, 0, false];
  for (let index = 0; index < text.length; index++) {
    const character = text.charCodeAt(index);
    if (inString) {
      if (character === BACKSLASH) index += 1;
      else if (character === QUOTE) inString = false;
    } else if (character === QUOTE) inString = true;
    else if (character === BRACE_OPEN || character === BRACKET_OPEN) {
      open += 1;
      deepest = Math.max(deepest, open);
    } else if (character === BRACE_CLOSE || character === BRACKET_CLOSE) open -= 1;
  }
  return deepest;
}

const [QUOTE, BACKSLASH, BRACE_OPEN, BRACE_CLOSE, BRACKET_OPEN, BRACKET_CLOSE] = [34, 92, 123, 125, 91, 93];
