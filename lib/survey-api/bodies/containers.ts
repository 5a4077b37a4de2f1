import type * as z from "zod";
import { asArray, asOnlyElement } from "./array.ts";
import { emptyMapsRead } from "./empty-maps.ts";
import type { Irregularity } from "./irregularity.ts";
import { isObject } from "./json.ts";
import { allOf, type Reading, type ResourceSchema, readResource, readResources } from "./resource.ts";

/** Turns a parsed body of unknown shape into what an operation gives; never throws. */
export type BodyReader<T> = (body: unknown) => Reading<T>;

/** A body that is a list of resources. */
export function listOf<Schema extends ResourceSchema>(
  schema: Schema,
  identity: readonly string[],
): BodyReader<z.infer<Schema>[]> {
  return (body) => {
    const elements = asArray(body);
    return elements === undefined ? unreadableBody("array") : readResources(schema, identity, elements);
  };
}

/** A body that is an array with one resource; the bare resource is read too. */
export function oneOf<Schema extends ResourceSchema>(
  schema: Schema,
  identity: readonly string[],
): BodyReader<z.infer<Schema>> {
  return (body) => {
    const found = asOnlyElement(body);
    if (found === undefined || found.length === 0) return unreadableBody("array with one object");
    return readResource(schema, identity, found[0], Array.isArray(body) ? [0] : []);
  };
}

/**
 * A body that is an array with one object of resources by key; the bare object is read too, `[]` and `null` as no
 * resources. Several objects with different keys are read as one, and told.
 */
export function mapOfAll<Schema extends ResourceSchema>(schema: Schema): BodyReader<Record<string, z.infer<Schema>>> {
  return (body) => {
    const plain = plainMap(schema, body);
    if (plain !== undefined) return { value: plain, irregular: [] };
    const maps = body === null ? [] : isObject(body) ? [body] : body;
    if (!Array.isArray(maps)) return unreadableBody(expectedMap);
    const readings: Reading<[string, z.infer<Schema>]>[] = [];
    const keys = new Set<string>();
    for (const [index, map] of maps.entries()) {
      // `[[]]`: an empty map inside the array, as a service writes it that has one type for arrays and maps.
      const entries = isObject(map) ? Object.entries(map) : Array.isArray(map) && map.length === 0 ? [] : undefined;
      if (entries === undefined) return unreadableBody(expectedMap);
      for (const [key, value] of entries) {
        if (keys.has(key)) return unreadableBody(expectedMap);
        keys.add(key);
        const reading = readResource(schema, [], value, maps === body ? [index, key] : [key]);
        readings.push("unreadable" in reading ? reading : { ...reading, value: [key, reading.value] });
      }
    }
    const all = allOf(readings);
    if ("unreadable" in all) return all;
    const several: Irregularity[] = maps.length > 1 ? [{ path: "", expected: expectedMap }] : [];
    return { value: Object.fromEntries(all.value), irregular: [...several, ...all.irregular] };
  };
}

/** The map of a body that is wholly as documented, as nearly all are: nothing has to be told of it, nor put together anew. */
function plainMap<Schema extends ResourceSchema>(
  schema: Schema,
  body: unknown,
): Record<string, z.infer<Schema>> | undefined {
  if (!Array.isArray(body) || body.length !== 1 || !isObject(body[0])) return undefined;
  const [map] = body;
  return Object.values(map).every((value) => schema.safeParse(value).success && emptyMapsRead(schema, value) === value)
    ? (map as Record<string, z.infer<Schema>>)
    : undefined;
}

const expectedMap = "array with one object";

const unreadableBody = (expected: string) => ({ unreadable: [{ path: "", expected }] });
