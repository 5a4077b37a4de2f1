export type Leaf = string | number | boolean | null;

/** Values by the path of their field from the envelope. */
export type Chosen = ReadonlyMap<string, readonly Leaf[]>;

const SEPARATOR = "\u0000";
export const keyOf = (path: readonly string[]): string => path.join(SEPARATOR);

/** The beginning of a pattern: no test responses, where the event is of a response. */
export function begun({ detail }: { detail: { data?: { summary?: object | null } } }): Chosen {
  const isOfResponse = detail.data?.summary !== undefined;
  return new Map(isOfResponse ? [[keyOf(["detail", "data", "summary", "test"]), [false]]] : []);
}

/** With a value chosen, or no longer. */
export function toggled(chosen: Chosen, path: readonly string[], value: Leaf): Chosen {
  const key = keyOf(path);
  const before = chosen.get(key) ?? [];
  const after = before.includes(value) ? before.filter((one) => one !== value) : [...before, value];
  const next = new Map(chosen);
  if (after.length === 0) next.delete(key);
  else next.set(key, after);
  return next;
}

export function patternOf(chosen: Chosen): Record<string, unknown> {
  const pattern: Record<string, unknown> = {};
  for (const [key, values] of chosen) {
    const path = key.split(SEPARATOR);
    let at = pattern;
    for (const name of path.slice(0, -1)) {
      at[name] ??= {};
      at = at[name] as Record<string, unknown>;
    }
    at[path.at(-1) ?? ""] = values;
  }
  return pattern;
}

export const FORMS = ["JSON", "CDK", "where", "webhook"] as const;
export type Form = (typeof FORMS)[number];

/**
 * The pattern as it is written where it is used. Rules and webhooks of the construct are for contents alone unless they name types, and
 * they match events of the poller without being told so.
 *
 * @param type of the event that is open: meant where no type was chosen
 */
export function writtenAs(form: Form, pattern: Record<string, unknown>, type: string): string {
  if (form === "JSON") return JSON.stringify(pattern, null, 2);
  const chosen = pattern["detail-type"] as string[] | undefined;
  const types = chosen ?? (type === "response.completed" ? undefined : [type]);
  const where = pattern.detail as object | undefined;
  const parts = { ...(types === undefined ? {} : { types }), ...(where === undefined ? {} : { where }) };
  if (form === "where") return JSON.stringify(where ?? {}, null, 2);
  if (form === "webhook") {
    return JSON.stringify({ name: "my-webhook", url: "https://example.com/hook", ...parts }, null, 2);
  }
  const fields = Object.entries(parts).map(([name, value]) => `  ${name}: ${indented(value)},\n`);
  return `poller.onResponseCompleted("MyRule", {\n${fields.join("")}  target: new SqsQueue(queue),\n});`;
}

/** As it is written in TypeScript, inside of one object. */
function indented(value: unknown): string {
  const text = JSON.stringify(value, null, 2).replace(/^(\s*)"([A-Za-z_$][\w$]*)":/gm, "$1$2:");
  return text.replaceAll("\n", "\n  ");
}
