import type * as z from "zod";
import { flag, integer } from "../schemas/fields.ts";
import { isToldBy, OF_RESPONSE } from "./documented-fields.ts";
import { emptyMapsRead } from "./empty-maps.ts";
import { type Irregularity, irregularityOf } from "./irregularity.ts";
import { isObject, readFlag, readId } from "./json.ts";

/**
 * The outcome of reading a body: its value with the places that are not as documented, or the places that had to be readable and are not.
 */
export type Reading<T> = { value: T; irregular: Irregularity[] } | { unreadable: Irregularity[] };

/** The schema of a resource: the object with all its documented fields. */
export type ResourceSchema = z.ZodObject<z.core.$ZodLooseShape, z.core.$loose>;

/**
 * Reads one resource. It is unreadable when it is no object, or when one of its `identity` fields cannot be understood. A resource without
 * such fields is unreadable when it has no documented field beside those that the request names. Any other field is passed on as it was
 * read, and told when it is not as documented. An identity field always has its documented type in the value: an identifier or a flag in
 * quotes is read as the number, and told. An empty map written as `[]` is `{}` in the value. `at` is where the resource stands in its body.
 */
export function readResource<Schema extends ResourceSchema>(
  schema: Schema,
  identity: readonly string[],
  value: unknown,
  at: readonly PropertyKey[] = [],
): Reading<z.infer<Schema>> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return { value: emptyMapsRead(schema, value) as z.infer<Schema>, irregular: [] };
  const { issues } = parsed.error;
  if (!isObject(value)) return { unreadable: issues.map((issue) => irregularityOf(issue, at)) };
  // Any object at all would be taken for it otherwise, such as an error that comes with status 200.
  if (identity.length === 0 && !isToldBy(schema, OF_RESPONSE)(value))
    return { unreadable: issues.map((issue) => irregularityOf(issue, at)) };
  const understood: Record<string, number> = {};
  const unreadable: z.core.$ZodIssue[] = [];
  for (const issue of issues) {
    const name = String(issue.path[0]);
    if (!identity.includes(name)) continue;
    const number = understand(schema.shape[name], value[name]);
    if (number === undefined) unreadable.push(issue);
    else understood[name] = number;
  }
  if (unreadable.length > 0) return { unreadable: unreadable.map((issue) => irregularityOf(issue, at)) };
  const read = emptyMapsRead(schema, value) as Record<string, unknown>;
  return {
    // What the schema does not vouch for is listed beside it.
    value: (Object.keys(understood).length === 0 ? read : { ...read, ...understood }) as z.infer<Schema>,
    irregular: issues.map((issue) => irregularityOf(issue, at)),
  };
}

function understand(field: unknown, value: unknown): number | undefined {
  if (field === flag) return readFlag(value);
  return field === integer ? readId(value) : undefined;
}

/** Reads a list of resources: unreadable when one of them is. */
export function readResources<Schema extends ResourceSchema>(
  schema: Schema,
  identity: readonly string[],
  values: readonly unknown[],
): Reading<z.infer<Schema>[]> {
  return allOf(values.map((value, index) => readResource(schema, identity, value, [index])));
}

/** Joins the readings of parts into the reading of the whole. */
export function allOf<T>(readings: readonly Reading<T>[]): Reading<T[]> {
  const value: T[] = [];
  const irregular: Irregularity[] = [];
  const unreadable: Irregularity[] = [];
  for (const reading of readings) {
    if ("unreadable" in reading) for (const place of reading.unreadable) unreadable.push(place);
    else {
      value.push(reading.value);
      for (const place of reading.irregular) irregular.push(place);
    }
  }
  return unreadable.length > 0 ? { unreadable } : { value, irregular };
}
