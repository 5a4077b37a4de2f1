import type * as z from "zod";
import { monitoringFields } from "../monitoring.ts";
import { configSchema } from "../schema.ts";

interface Field {
  /** Below a source from the source on: `privacy.ip`. Elsewhere from the top on: `bus.name`, `webhooks[].url`. */
  path: string;
  /** The values that it takes, in the words of the error for any other value. */
  takes: string;
  /** As JSON, "required", or "none". */
  default: string;
}

/** Every field, in the order of the schema. */
function configurationFields(): Field[] {
  const { sources, monitoring, ...rest } = configSchema.shape;
  return [
    ...fieldsBelow("", shapeOf(elementOf(sources))),
    ...fieldsBelow("", rest),
    ...fieldsOf("monitoring", monitoring),
    ...fieldsBelow("monitoring.", monitoringFields.shape),
  ];
}

function fieldsBelow(prefix: string, shape: Record<string, z.core.$ZodType> = {}): Field[] {
  return Object.entries(shape).flatMap(([name, schema]) => fieldsOf(`${prefix}${name}`, schema));
}

/** A section is its fields; a list of sections is itself, then the fields of an element. */
function fieldsOf(path: string, schema: z.core.$ZodType): Field[] {
  const inner = unwrapped(schema);
  const shape = shapeOf(inner);
  if (shape !== undefined) return fieldsBelow(`${path}.`, shape);
  const element = inner._zod.def.type === "array" ? shapeOf(elementOf(inner)) : undefined;
  return [{ path, takes: takenBy(inner), default: defaultOf(schema) }, ...fieldsBelow(`${path}[].`, element)];
}

function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  const { innerType } = schema._zod.def as { innerType?: z.core.$ZodType };
  return innerType === undefined ? schema : unwrapped(innerType);
}

function defaultOf(schema: z.core.$ZodType): string {
  const { type, defaultValue } = schema._zod.def as { type: string; defaultValue?: unknown };
  if (type === "optional") return "none";
  return type === "prefault" ? `\`${JSON.stringify(defaultValue)}\`` : "required";
}

function shapeOf(schema: z.core.$ZodType): Record<string, z.core.$ZodType> | undefined {
  const { shape, in: input } = schema._zod.def as { shape?: Record<string, z.core.$ZodType>; in?: z.core.$ZodType };
  // A section that is read further once it is checked.
  return shape ?? (input === undefined ? undefined : shapeOf(input));
}

function elementOf(schema: z.core.$ZodType): z.core.$ZodType {
  const { element } = schema._zod.def as { element?: z.core.$ZodType };
  if (element === undefined) throw new Error("a list was expected in the schema of the configuration");
  return unwrapped(element);
}

/** Each field says itself what it takes, to whoever gives it anything else. */
function takenBy(schema: z.core.$ZodType): string {
  const { issues = [] } = (schema as z.ZodType).safeParse(Symbol("anything else"), { jitless: true }).error ?? {};
  const [{ message } = { message: "" }] = issues;
  const what = message.replace(/^must be /, "");
  if (what.startsWith("a duration ")) return "duration";
  if (what.startsWith("a size ")) return "size";
  return what.replaceAll(/\{(?:[^{}]|\{[^{}]*\})*\}|"[^"]*"|https:\/\/\S+\w/g, (value) => `\`${value}\``);
}

/**
 * The text with the values and the default of each field in its tables, as the schema has them. What a field means is for the text alone to say.
 *
 * @throws Error when a field has no row, or a row no field
 */
export function withFields(text: string): string {
  // Types of events hold a dot themselves.
  const shown = (path: string): string => path.replace(/^events\.(.*)/, 'events."$1"');
  const fields = new Map(configurationFields().map((field) => [shown(field.path), field]));
  const unexplained = new Set(fields.keys());
  const written = text.replace(
    /^\| `([^`]+)` \|[^|]*\|[^|]*\| ([^|]+) \|$/gm,
    (_row, name: string, meaning: string) => {
      const field = fields.get(name);
      if (field === undefined) throw new Error(`there is no field ${name}`);
      unexplained.delete(name);
      // An empty section, which is its level alone.
      const usual = name === "monitoring" ? '`"minimal"`' : field.default;
      return `| \`${name}\` | ${field.takes} | ${usual} | ${meaning} |`;
    },
  );
  if (unexplained.size > 0) throw new Error(`no row says what it means: ${[...unexplained].join(", ")}`);
  return written;
}
