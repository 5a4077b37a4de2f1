import type { BodyReader } from "./containers.ts";
import { isObject } from "./json.ts";

/** A body of the v2 family, whose shapes the API document does not show. */
export interface V2Body<T> {
  /** The value that v3 gives for the same operation; undefined when the body is not of that shape. */
  value: T | undefined;
  /** The JSON as it was read. */
  raw: unknown;
}

/** Reads a v2 body as if it were one of v3, as it is or under one usual name. */
export function readV2<T>(raw: unknown, read: (body: unknown) => T | undefined): V2Body<T> {
  const bodies = [raw, ...["data", "result"].flatMap((name) => inside(raw, name))];
  for (const body of bodies) {
    const value = read(body);
    if (value !== undefined) return { value, raw };
  }
  return { value: undefined, raw };
}

const inside = (body: unknown, name: string): unknown[] =>
  isObject(body) && Object.hasOwn(body, name) ? [body[name]] : [];

/** The value of a body that is wholly as documented, for `readV2`. */
export function fitting<T>(reader: BodyReader<T>): (body: unknown) => T | undefined {
  return (body) => {
    const reading = reader(body);
    return "value" in reading && reading.irregular.length === 0 ? reading.value : undefined;
  };
}
