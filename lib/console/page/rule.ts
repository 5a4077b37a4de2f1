export type Leaf = string | number | boolean | null;

/** An event pattern of values, or as much of it as stands below a field. */
export interface Pattern {
  [field: string]: Pattern | Leaf[];
}

/** The beginning of a pattern: no test responses, where the event is of a response. */
export function begun({ detail }: { detail: { data?: { summary?: object | null } } }): Pattern {
  return detail.data?.summary === undefined ? {} : { detail: { data: { summary: { test: [false] } } } };
}

/** The values that are chosen of a field. */
export function chosenAt(pattern: Pattern, path: readonly string[]): readonly Leaf[] {
  const found = path.reduce<Pattern | Leaf[] | undefined>((at, name) => (Array.isArray(at) ? at : at?.[name]), pattern);
  return Array.isArray(found) ? found : [];
}

/** With a value chosen, or no longer. */
export function toggled(pattern: Pattern, path: readonly string[], value: Leaf): Pattern {
  const [name = "", ...rest] = path;
  const { [name]: before = {}, ...others } = pattern;
  const chosen = chosenAt(pattern, [name]);
  const after =
    rest.length > 0 && !Array.isArray(before)
      ? toggled(before, rest, value)
      : chosen.includes(value)
        ? chosen.filter((one) => one !== value)
        : [...chosen, value];
  return Object.keys(after).length === 0 ? others : { ...pattern, [name]: after };
}

export const FORMS = ["JSON", "CDK", "where", "webhook"] as const;
export type Form = (typeof FORMS)[number];

/**
 * The pattern as it is written where it is used. Rules and webhooks of the construct are for contents alone unless they name types, and
 * they match events of the poller without being told so.
 *
 * @param type of the event that is open: meant where no type was chosen
 */
export function writtenAs(form: Form, pattern: Pattern, type: string): string {
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
