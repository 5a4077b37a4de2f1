import type * as z from "zod";
import { safeKey } from "./safe-names.ts";

/** One place of a body that is not as the API document shows it. It never holds a value of the body. */
export interface Irregularity {
  /** Where, such as `[3].languageId` or `[0].blocksById.7.blockName`; empty for the whole body. */
  path: string;
  /** The documented type, such as `integer`, `string` or `object`. */
  expected: string;
}

export function irregularityOf(issue: z.core.$ZodIssue, at: readonly PropertyKey[] = []): Irregularity {
  return { path: pathText([...at, ...issue.path]), expected: expectedOf(issue) };
}

/** Field names separated by dots, indexes in brackets; what may be data instead of a name is shown as `…`. */
function pathText(path: readonly PropertyKey[]): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else text += `${text === "" ? "" : "."}${safeKey(String(step))}`;
  }
  return text;
}

/** Taken from what the schema asks for, never from zod's messages: some of these quote what was read. */
function expectedOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return expectedNames[issue.expected] ?? "another type";
    case "too_big":
    case "too_small":
      return "integer";
    default:
      return "another form";
  }
}

const expectedNames: Record<string, string> = {
  array: "array",
  boolean: "boolean",
  int: "integer",
  number: "integer",
  object: "object",
  record: "object",
  string: "string",
};
