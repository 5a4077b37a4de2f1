import { checkWhere, detailShape, type Shape } from "../../infra/subscriptions/check-where.ts";
import { nearestName } from "../../lib/config/edit-distance.ts";
import { isObject, pathText } from "../../lib/config/shape.ts";
import { EVENT_TYPES, type EventType } from "../../lib/events/contract.ts";
import { createMatcher } from "../../local/aws/event-bridge/matcher.ts";
import { UsageError } from "../errors.ts";

/** Which events are meant: parts of an EventBridge event pattern. */
export interface Filter {
  "detail-type"?: readonly EventType[];
  detail?: Record<string, unknown>;
}

/** Characters of a pattern that EventBridge takes, unless AWS has raised the account's quota. */
const LONGEST = 2_048;
const FORMS = `Give an event pattern as JSON, such as '{"detail":{"data":{"surveyId":[103]}}}', or pairs such as "surveyId=103 nps=detractor".`;
const NPS = ["promoter", "passive", "detractor"];
const SHORT: Readonly<Record<string, string>> = { nps: "data.summary.nps.class" };

/**
 * Reads what `--filter` holds, and says where it is wrong. No value is repeated: it could be personal.
 *
 * @throws UsageError
 * @example readFilter("type=response.completed nps=detractor,passive")
 */
export function readFilter(text: string): Filter {
  const pattern = text.trimStart().startsWith("{") ? parseJson(text) : fromPairs(text);
  const fields = Object.keys(pattern);
  if (fields.length === 0) throw wrong("--filter names no field");
  for (const field of fields) {
    if (field === "detail" || field === "detail-type") continue;
    if (field === "data" || field === "meta") throw wrong(`--filter: ${field} stands in detail: {"detail":{…}}`);
    const nearest = nearestName(field, ["detail", "detail-type"]);
    throw wrong(`--filter: unknown field "${field}"${nearest === undefined ? "" : `, did you mean "${nearest}"?`}`);
  }
  const { "detail-type": types, detail } = pattern;
  const known = types === undefined ? EVENT_TYPES : typesOf(types);
  const [problem] = detail === undefined ? [] : checkWhere(detail, known);
  if (problem !== undefined) throw wrong(`--filter: ${pathText(["detail", ...problem.path])} ${problem.message}`);
  const filter: Filter = {
    ...(types === undefined ? {} : { "detail-type": known }),
    ...(detail === undefined ? {} : { detail: detail as Record<string, unknown> }),
  };
  try {
    createMatcher(filter);
  } catch {
    throw wrong("--filter is no event pattern that EventBridge takes");
  }
  const { length } = JSON.stringify(filter);
  if (length > LONGEST) throw wrong(`--filter has ${length} characters; EventBridge takes ${LONGEST}`);
  return filter;
}

/** The pattern of a rule: the filter, for events of these sources alone, since others may use the bus too. */
export function patternOf(filter: Filter, eventSources: Iterable<string>): object {
  return { source: [...new Set(eventSources)], ...filter };
}

function typesOf(types: unknown): readonly EventType[] {
  const isKnown = (type: unknown): type is EventType => EVENT_TYPES.some((known) => known === type);
  if (Array.isArray(types) && types.length > 0 && types.every(isKnown)) return types;
  throw wrong(`--filter: detail-type must be a list of types, out of ${EVENT_TYPES.join(", ")}`);
}

function parseJson(text: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text);
    if (isObject(parsed)) return parsed;
  } catch {
    // The message of the error may quote the text.
    throw wrong("--filter is not JSON");
  }
  throw wrong("--filter must be an object");
}

/** `surveyId=103,104 nps=detractor`: fields of `data`, or by their whole path. */
function fromPairs(text: string): Record<string, unknown> {
  const detail: Record<string, unknown> = {};
  let types: string[] | undefined;
  for (const pair of text.split(/\s+/).filter(Boolean)) {
    const [, name = "", values = ""] = /^([\w.]+)=(.+)$/.exec(pair) ?? [];
    if (name === "") throw wrong("--filter is neither JSON nor pairs of a field and its values");
    if (name === "type") {
      types = values.split(",");
      continue;
    }
    if (name === "nps" && !values.split(",").every((value) => NPS.includes(value))) {
      throw wrong(`--filter: nps must be out of ${NPS.join(", ")}`);
    }
    const path = (SHORT[name] ?? (/^(data|meta)\./.test(name) ? name : `data.${name}`)).split(".");
    set(detail, path, typed(values.split(","), shapeAt(path)), name);
  }
  return {
    ...(types === undefined ? {} : { "detail-type": types }),
    ...(Object.keys(detail).length === 0 ? {} : { detail }),
  };
}

function set(into: Record<string, unknown>, path: readonly string[], values: unknown[], name: string): void {
  const [first = "", ...rest] = path;
  if (rest.length === 0) {
    if (first in into)
      throw wrong(`--filter: ${name} is given twice; its alternatives stand behind one "=", with commas`);
    into[first] = values;
    return;
  }
  const next = into[first] ?? {};
  if (!isObject(next)) throw wrong(`--filter: ${name} does not go with the field before it`);
  into[first] = next;
  set(next, rest, values, name);
}

/** Undefined where the contract has no such field, which the check says better. */
function shapeAt(path: readonly string[]): Shape | undefined {
  return path.reduce<Shape | undefined>((shape, name) => shape?.fields.get(name), detailShape(EVENT_TYPES));
}

function typed(values: readonly string[], shape: Shape | undefined): unknown[] {
  const has = (kind: "number" | "boolean" | "null"): boolean => shape?.kinds.has(kind) === true;
  return values.map((value) => {
    if (has("number") && /^-?\d+(\.\d+)?$/.test(value)) return Number(value);
    if (has("boolean") && (value === "true" || value === "false")) return value === "true";
    return has("null") && value === "null" ? null : value;
  });
}

function wrong(message: string): UsageError {
  return new UsageError(message, { hint: FORMS });
}
