import * as schemas from "../schemas/index.ts";

/** Stands for a name that may be data: a token, an identifier, a text. */
export const HIDDEN = "…";

/** A field name that can be shown: documented, or made of words, with no more digits than a name has and only after a word. */
export function safeName(name: string): string {
  if (documentedNames.has(name)) return name;
  const digits = name.match(/\d/g)?.length ?? 0;
  return name.length <= 24 && digits < 4 && /^_?[A-Za-z]+\d*([_-][A-Za-z]+\d*)*$/.test(name) ? name : HIDDEN;
}

/** A step of a path: a field name, or the identifier or position by which a map is keyed. */
export function safeKey(key: string): string {
  return /^\d{1,16}$/.test(key) ? key : safeName(key);
}

/** Some documented names would not pass for words: `iso3166`, `maxValueIncludingEmptyAnswer`. */
const documentedNames = new Set(
  Object.values(schemas).flatMap((schema) => ("shape" in schema ? Object.keys(schema.shape) : [])),
);
