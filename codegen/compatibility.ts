import { isDeepStrictEqual } from "node:util";
import type { AnySchemaObject, ErrorObject, ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import ajvDraft4 from "ajv-draft-04";
import type { JsonSchema } from "./schemas.ts";

const DRAFT_4 = "http://json-schema.org/draft-04/schema#";

/** The contract as consumers of one version hold it in their hands. */
export interface Contract {
  /** The schema of each event, by its type. */
  schemas: ReadonlyMap<string, JsonSchema>;
  /** Whole events, by name. */
  golden: ReadonlyMap<string, GoldenEvent>;
}

export type GoldenEvent = { "detail-type": string } & Record<string, unknown>;

/**
 * Why `current` is no minor version after `released`; empty where it is one. Events of either must be valid by the schema of the other. A
 * consumer may read today's events with last year's code, and a replay brings last year's to today's.
 */
export function incompatibilities(released: Contract, current: Contract): string[] {
  const found: string[] = [];
  for (const [type, before] of released.schemas) {
    const after = current.schemas.get(type);
    if (after === undefined) found.push(`${type}: this event is gone`);
    else found.push(...changes(before, after).map((change) => `${type}${change}`));
  }
  found.push(...invalidEvents(released.golden, current.schemas).map((why) => `released event ${why}`));
  found.push(
    ...invalidEvents(current.golden, released.schemas).map((why) => `new event by the released schema ${why}`),
  );
  return found;
}

/** Events that are not valid by the schema of their type, and why. An event of a type without a schema here is passed over. */
export function invalidEvents(
  golden: ReadonlyMap<string, GoldenEvent>,
  schemas: ReadonlyMap<string, JsonSchema>,
): string[] {
  return [...golden].flatMap(([name, event]) => {
    const schema = schemas.get(event["detail-type"]);
    if (schema === undefined) return [];
    const validate = validatorOf(schema);
    return validate(event) ? [] : [`${name}: ${(validate.errors ?? []).map(asText).join("; ")}`];
  });
}

/** A schema takes a while to compile. */
const validators = new WeakMap<JsonSchema, ValidateFunction>();

function validatorOf(schema: JsonSchema): ValidateFunction {
  const known = validators.get(schema);
  if (known !== undefined) return known;
  const options = { allowUnionTypes: true, allErrors: true };
  const ofRegistry = { ...options, strict: false, formats: { "date-time": isInstant } };
  const ajv = schema.$schema === DRAFT_4 ? new ajvDraft4.default(ofRegistry) : new Ajv2020(options);
  const validator = ajv.compile(schema as AnySchemaObject);
  validators.set(schema, validator);
  return validator;
}

const isInstant = (text: string): boolean =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text) && !Number.isNaN(Date.parse(text));

const asText = ({ instancePath, message }: ErrorObject): string => `${instancePath} ${message}`;

/** Keywords that only tell a reader something. */
const ANNOTATIONS = new Set(["$schema", "$id", "$defs", "title", "description", "examples", "x-extensible-enum"]);

/** The forbidden changes of a schema. Allowed are added fields that are not required, and other descriptions. */
function changes(before: JsonSchema, after: JsonSchema): string[] {
  const compared = new Map<JsonSchema, Set<JsonSchema>>();
  const compare = (one: unknown, other: unknown, path: string): string[] => {
    const [old, now] = [resolved(one, before), resolved(other, after)];
    if (!isSchema(old) || !isSchema(now)) return isDeepStrictEqual(old, now) ? [] : [`${path}: changed`];
    // The same two definitions, from another place.
    const others = compared.get(old) ?? new Set();
    if (others.has(now)) return [];
    compared.set(old, others.add(now));
    const keywords = new Set([...Object.keys(old), ...Object.keys(now)]);
    return [...keywords].flatMap((keyword) => {
      if (ANNOTATIONS.has(keyword)) return [];
      const [was, is] = [old[keyword], now[keyword]];
      if (keyword === "properties") return compareFields(was, is, path);
      if (keyword === "required" || keyword === "type") {
        return isDeepStrictEqual(asSet(was), asSet(is)) ? [] : [`${path}: ${keyword} was ${said(was)}, is ${said(is)}`];
      }
      if (Array.isArray(was) && Array.isArray(is) && was.length === is.length && was.every(isSchema)) {
        return was.flatMap((part, i) => compare(part, is[i], `${path}/${keyword}/${i}`));
      }
      if (isSchema(was) && isSchema(is)) return compare(was, is, `${path}/${keyword}`);
      return isDeepStrictEqual(was, is) ? [] : [`${path}: ${keyword} was ${said(was)}, is ${said(is)}`];
    });
  };
  const compareFields = (was: unknown, is: unknown, path: string): string[] => {
    const fields = isSchema(is) ? is : {};
    return Object.entries(isSchema(was) ? was : {}).flatMap(([name, field]) =>
      name in fields ? compare(field, fields[name], `${path}.${name}`) : [`${path}.${name}: this field is gone`],
    );
  };
  return compare(before, after, "");
}

function resolved(schema: unknown, root: JsonSchema): unknown {
  if (!isSchema(schema) || typeof schema.$ref !== "string") return schema;
  const definitions = root.$defs as Record<string, JsonSchema>;
  return resolved(definitions[schema.$ref.replace("#/$defs/", "")], root);
}

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const asSet = (value: unknown): Set<unknown> => new Set([value ?? []].flat());
const said = (value: unknown): string => JSON.stringify(value) ?? "absent";
