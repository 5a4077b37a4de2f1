import { checkWhere } from "../../../infra/subscriptions/check-where.ts";
import { parseConfig } from "../../../lib/config/index.ts";
import { isObject } from "../../../lib/config/shape.ts";
import { DETAIL_TYPE, detailSchemas, EVENT_TYPES, type EventType } from "../../../lib/events/index.ts";

const CONFIGURATION = new Set(["sources", "bus", "events", "subscribers", "monitoring", "webhooks"]);
const SOURCE = { baseUrl: "https://surveys.example.com" };

/** The JSON documents of a block: one, or one a line. Lines that are a part of an object, such as `"bus": {…}`, get its braces. */
export function jsonDocuments(code: string): unknown[] {
  const text = /^\s*"[^"]+":/.test(code) ? `{${code}}` : code;
  const whole = parsed(text);
  if (whole !== undefined) return [whole];
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What a JSON document in the documentation has wrong, by what it is: an event, a pattern or a configuration. */
export function jsonProblems(document: unknown): string[] {
  if (!isObject(document)) return ["is no object: an array or a value needs another language behind the fence"];
  if (typeof document["detail-type"] === "string") return eventProblems(document["detail-type"], document.detail);
  if (isObject(document.meta) && isObject(document.data)) return eventProblems(DETAIL_TYPE, document);
  if (Array.isArray(document["detail-type"]) || isObject(document.detail)) return patternProblems(document);
  if ("baseUrl" in document) return configurationProblems(document);
  if (Object.keys(document).some((field) => CONFIGURATION.has(field)))
    return configurationProblems({ sources: [SOURCE], ...document });
  // A pattern without its envelope, as `where` takes it.
  if (isObject(document.data) || isObject(document.meta)) return whereProblems(document, EVENT_TYPES);
  return ["is neither an event, nor a pattern, nor a configuration: write ```jsonc for another one"];
}

function isType(type: unknown): type is EventType {
  return EVENT_TYPES.some((one) => one === type);
}

function eventProblems(type: string, detail: unknown): string[] {
  if (!isType(type)) return [`there are no events of the type ${type}`];
  const result = detailSchemas[type].safeParse(detail);
  return result.error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) ?? [];
}

function patternProblems(pattern: Record<string, unknown>): string[] {
  const { "detail-type": types, detail, ...rest } = pattern;
  const others = Object.keys(rest).filter(
    (field) => !["source", "account", "region", "time", "resources"].includes(field),
  );
  const named: readonly unknown[] = Array.isArray(types) ? types : EVENT_TYPES;
  const unknown = named.filter((type) => !isType(type));
  return [
    ...others.map((field) => `an envelope has no field "${field}"`),
    ...unknown.map((type) => `there are no events of the type ${String(type)}`),
    ...(detail === undefined ? [] : whereProblems(detail, named.filter(isType))),
  ];
}

function whereProblems(where: unknown, types: readonly EventType[]): string[] {
  return checkWhere(where, types).map(({ path, message }) => `${path.join(".")}: ${message}`);
}

function configurationProblems(input: object): string[] {
  try {
    parseConfig(input, {
      deployed: true,
      checkPattern: (where, types) => checkWhere(where, Array.isArray(types) ? types.filter(isType) : undefined),
    });
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}
