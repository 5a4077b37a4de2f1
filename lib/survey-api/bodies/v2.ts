import { type AboutAnswer, UnreadableBodyError } from "../errors.ts";
import { isObject } from "./json.ts";
import type { ReadBody } from "./read-body.ts";

/** A body of the v2 family, whose shapes the API document does not show. */
export interface V2Body<T> {
  /** The value that v3 gives for the same operation; undefined when v3 would not take the body for one. */
  value: T | undefined;
  /** The JSON as it was read. */
  raw: unknown;
}

/** Reads a v2 body as v3 reads one: under one usual name, or as it is. What wraps it may have an id as well. */
export function readV2<T>(raw: unknown, read: ReadBody<T>, about: AboutAnswer): V2Body<T> {
  for (const body of [...["data", "result"].flatMap((name) => inside(raw, name)), raw]) {
    try {
      return { value: read(body, about), raw };
    } catch (error) {
      if (!(error instanceof UnreadableBodyError)) throw error;
    }
  }
  return { value: undefined, raw };
}

const inside = (body: unknown, name: string): unknown[] =>
  isObject(body) && Object.hasOwn(body, name) ? [body[name]] : [];
