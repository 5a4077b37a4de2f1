import { isObject } from "../../json.ts";
import { hasOnlyDigitKeys } from "./json.ts";
import * as resources from "./resources.ts";

/** Stands for a name that may be data: a token, an identifier, a text. */
const HIDDEN = "…";
const MAX_CHARACTERS = 200;
const MAX_DEPTH = 4;
const MAX_FIELDS = 12;

/**
 * An outline of a body, such as `{ data: array(3) of { id: number, name: string(12) } }`, whose first element is shown. It holds types,
 * lengths and field names that look like names, and never a value: so it can go into an error or a log.
 */
export function outline(value: unknown): string {
  const text = outlineAt(value, 0);
  return text.length <= MAX_CHARACTERS ? text : `${text.slice(0, MAX_CHARACTERS - 1)}${HIDDEN}`;
}

function outlineAt(value: unknown, depth: number): string {
  if (value === null) return "null";
  if (typeof value === "string") return `string(${value.length})`;
  if (Array.isArray(value)) return container(`array(${value.length})`, value[0], value.length, depth);
  if (!isObject(value)) return typeof value;
  const names = Object.keys(value);
  if (names.length > 0 && hasOnlyDigitKeys(value)) {
    return container(`map(${names.length})`, Object.values(value)[0], names.length, depth);
  }
  if (names.length === 0) return "{}";
  if (depth >= MAX_DEPTH) return `{ ${HIDDEN} }`;
  const shown = names.slice(0, MAX_FIELDS).map((name) => `${safeName(name)}: ${outlineAt(value[name], depth + 1)}`);
  if (names.length > MAX_FIELDS) shown.push(`${HIDDEN} ${names.length - MAX_FIELDS} more`);
  return `{ ${shown.join(", ")} }`;
}

function container(head: string, first: unknown, length: number, depth: number): string {
  return length === 0 || depth >= MAX_DEPTH ? head : `${head} of ${outlineAt(first, depth + 1)}`;
}

/** An outline of a body that is not JSON, without any of its text: `HTML, 5321 characters`. */
export function outlineText(text: string): string {
  const start = text.slice(0, 1024).trimStart().toLowerCase();
  if (text.trim() === "") return "empty";
  return `${kindOf(start)}, ${text.length} character${text.length === 1 ? "" : "s"}`;
}

function kindOf(start: string): string {
  if (/^<!doctype html|<(html|head|body)[\s>]/.test(start)) return "HTML";
  if (start.startsWith("<")) return "XML";
  return /^[[{]/.test(start) ? "broken JSON" : "text";
}

/** A step of a path: a field name, or the identifier or position by which a map is keyed. */
export function safeKey(key: string): string {
  return /^\d{1,16}$/.test(key) ? key : safeName(key);
}

/** A field name that can be shown: documented, or made of words, with no more digits than a name has and only after a word. */
function safeName(name: string): string {
  if (documentedNames.has(name)) return name;
  const digits = name.match(/\d/g)?.length ?? 0;
  return name.length <= 24 && digits < 4 && /^_?[A-Za-z]+\d*([_-][A-Za-z]+\d*)*$/.test(name) ? name : HIDDEN;
}

/** Some documented names would not pass for words: `iso3166`, `maxValueIncludingEmptyAnswer`. */
const documentedNames = new Set(Object.values(resources).flatMap(({ shape }) => Object.keys(shape)));
