import type * as z from "zod";
import { asArray, asOnlyElement } from "./array.ts";
import { isToldBy, OF_RESPONSE } from "./documented-fields.ts";
import { emptyMapsRead } from "./empty-maps.ts";
import { entriesIn } from "./entries.ts";
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
 * A body that is an array with one object of resources by key; see `entriesIn` for what else is read. A body that holds them in
 * another shape than that is told.
 */
export function mapOfAll<Schema extends ResourceSchema>(schema: Schema): BodyReader<Record<string, z.infer<Schema>>> {
  const isValue = isToldBy(schema, OF_RESPONSE);
  return (body) => {
    const plain = plainMap(schema, body);
    if (plain !== undefined) return { value: plain, irregular: [] };
    const found = entriesIn(body, isValue);
    if (found === undefined) return unreadableBody(expectedMap);
    const all = allOf(
      found.entries.map(({ key, value, at }): Reading<[string, z.infer<Schema>]> => {
        const reading = readResource(schema, [], value, at);
        return "unreadable" in reading ? reading : { ...reading, value: [key, reading.value] };
      }),
    );
    if ("unreadable" in all) return all;
    const isOther = found.isList || (Array.isArray(body) && body.length > 1);
    const shape: Irregularity[] = isOther ? [{ path: "", expected: expectedMap }] : [];
    return { value: Object.fromEntries(all.value), irregular: [...shape, ...all.irregular] };
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
