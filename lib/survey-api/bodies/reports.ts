import { hasOnlyDigitKeys, isObject, readId } from "./json.ts";
import type { ReportListItem } from "./resources.ts";

const wrappers = ["reports", "data", "result", "items", "list"];
const idNames = ["reportId", "id", "report_id"];

/**
 * The reports in the body of operation 5, whose shape the API document does not show. It may be an array of objects or of ids, a map by id,
 * or one of these under a usual name. Undefined when the body is none of them.
 */
export function readReports(body: unknown): ReportListItem[] | undefined {
  const list = readList(body);
  if (list !== undefined || !isObject(body)) return list;
  for (const name of wrappers) {
    const inside = readList(body[name]);
    if (inside !== undefined) return inside;
  }
  return undefined;
}

function readList(value: unknown): ReportListItem[] | undefined {
  if (value === null) return [];
  if (Array.isArray(value)) {
    const items = value.map((raw) => ({ reportId: idOf(raw), raw }));
    return items.every(({ reportId, raw }) => reportId !== undefined || isObject(raw)) ? items : undefined;
  }
  if (!isObject(value) || !hasOnlyDigitKeys(value)) return undefined;
  return Object.entries(value).map(([key, raw]) => ({ reportId: idOf(raw) ?? readId(key), raw }));
}

/** The id that an item shows, or the item itself where the list is one of ids. */
function idOf(item: unknown): number | undefined {
  if (!isObject(item)) return readId(item);
  for (const name of idNames) {
    const id = readId(item[name]);
    if (id !== undefined) return id;
  }
  return undefined;
}
