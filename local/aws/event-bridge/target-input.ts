import type { EventEnvelope } from "./envelope.ts";

/** Steps of an InputPath: names and array positions. */
export type InputPath = readonly (string | number)[];

const step = /\.([^.[\]]+)|\[(\d+)\]|\['([^']*)'\]|\["([^"]*)"\]/y;

/**
 * Parses the JSONPath subset that EventBridge takes: `$`, `.name`, `['name']`, `[0]`.
 *
 * @returns undefined when it is not one
 */
export function parseInputPath(text: string): InputPath | undefined {
  if (!text.startsWith("$")) return undefined;
  const path: (string | number)[] = [];
  step.lastIndex = 1;
  while (step.lastIndex < text.length) {
    const found = step.exec(text);
    if (found === null) return undefined;
    const [, name, position, single, double] = found;
    path.push(position === undefined ? (name ?? single ?? double ?? "") : Number(position));
  }
  return path;
}

/** The text a target is sent: its constant, the part its path names (null when there is none), or the whole event. */
export function targetInput(
  target: { Input?: string | undefined; InputPath?: string | undefined },
  envelope: EventEnvelope,
): string {
  if (target.Input !== undefined) return target.Input;
  const path = target.InputPath === undefined ? [] : (parseInputPath(target.InputPath) ?? []);
  let value: unknown = envelope;
  for (const part of path) value = child(value, part);
  return JSON.stringify(value ?? null);
}

function child(value: unknown, part: string | number): unknown {
  if (Array.isArray(value)) return typeof part === "number" ? value[part] : undefined;
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
  return (value as Record<string, unknown>)[part];
}
