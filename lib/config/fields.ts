import * as z from "zod";
import { formatDuration, LONGEST, parseDuration, parseSize } from "./units.ts";
import { unknownField } from "./unknown-field.ts";

/**
 * An object that refuses unknown fields, one issue for each, at the path of the field itself.
 * A catch-all that fails does this; zod's own strict objects give one issue for all of them, without the known names.
 */
export function section<Shape extends z.ZodRawShape>(shape: Shape, expected = "must be an object") {
  const unknown = z.custom(() => false, {
    error: (issue) => unknownField(String(issue.path?.at(-1) ?? ""), Object.keys(shape)),
  });
  return z.object(shape, { error: expected }).catchall(unknown) as unknown as z.ZodObject<Shape, z.core.$strict>;
}

/** A duration string, as milliseconds within bounds. */
export function duration(bounds: { min?: number; max?: number; whole?: number } = {}) {
  const { min = 0, max = LONGEST, whole = 1 } = bounds;
  const shape = 'must be a duration such as "500ms", "30s", "5m", "2h" or "7d"';
  return z.string({ error: shape }).transform((text, context) => {
    const value = parseDuration(text);
    if (value === undefined) return refuse(context, shape);
    if (value < min) return refuse(context, `must be at least ${formatDuration(min)}`);
    if (value > max) return refuse(context, `must be at most ${formatDuration(max)}`);
    if (value % whole !== 0) return refuse(context, `must be a whole multiple of ${formatDuration(whole)}`);
    return value;
  });
}

/** A size string, as bytes. */
export function size(max: string) {
  const shape = 'must be a size such as "512B" or "200KB" (1 KB is 1024 bytes)';
  return z.string({ error: shape }).transform((text, context) => {
    const value = parseSize(text);
    if (value === undefined) return refuse(context, shape);
    if (value > (parseSize(max) ?? 0)) return refuse(context, `must be at most ${max}`);
    return value;
  });
}

export function wholeNumber(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
}

export function flag() {
  return z.boolean({ error: "must be true or false" });
}

export function oneOf<const Options extends readonly [string, ...string[]]>(...options: Options) {
  return z.enum(options, { error: `must be ${options.map((option) => `"${option}"`).join(" or ")}` });
}

export function refuse(context: z.RefinementCtx, message: string): never {
  context.addIssue({ code: "custom", message });
  return z.NEVER;
}

/** What a schema makes of a value that stands for more than one form; its issues are those of the context. */
export function readAs<Schema extends z.ZodType>(schema: Schema, value: unknown, context: z.RefinementCtx) {
  const { success, data, error } = schema.safeParse(value, { jitless: true });
  if (success) return data;
  for (const { path, message } of error.issues) context.addIssue({ code: "custom", path, message });
  return undefined;
}
