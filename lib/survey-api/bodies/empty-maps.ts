import * as z from "zod";
import { isEmptyArray } from "../schemas/fields.ts";
import { isObject } from "./json.ts";

/**
 * The value as it was read, but for `{}` where the schema has a map and an empty array was read. A value without such a
 * place is given back as it is; it need not fit the schema otherwise.
 */
export function emptyMapsRead(schema: unknown, value: unknown): unknown {
  return holdsMap(schema) ? read(schema, value) : value;
}

const known = new WeakMap<object, boolean>();

/** Whether there is a map anywhere in it: metrics, metadata and records have none, and come by the thousand. */
function holdsMap(schema: unknown): boolean {
  if (schema instanceof z.ZodPipe) return true;
  if (schema instanceof z.ZodRecord) return holdsMap(schema.valueType);
  if (!(schema instanceof z.ZodObject)) return false;
  const found = known.get(schema) ?? Object.values(schema.shape).some(holdsMap);
  known.set(schema, found);
  return found;
}

function read(schema: unknown, value: unknown): unknown {
  if (schema instanceof z.ZodPipe) return isEmptyArray(value) ? {} : read(schema.out, value);
  if (schema instanceof z.ZodObject) return withFields(value, (name) => schema.shape[name]);
  if (schema instanceof z.ZodRecord) return withFields(value, () => schema.valueType);
  return value;
}

function withFields(value: unknown, schemaOf: (name: string) => unknown): unknown {
  if (!isObject(value)) return value;
  const changed = Object.entries(value).flatMap(([name, field]) => {
    const now = read(schemaOf(name), field);
    return now === field ? [] : [[name, now] as const];
  });
  // Through entries, since assigning to `__proto__` would not make a field.
  return changed.length === 0 ? value : Object.fromEntries([...Object.entries(value), ...changed]);
}
