import { inspect, isDeepStrictEqual } from "node:util";

type Tree = Record<string, unknown>;

/** A resource, or another entry of a template. */
interface Entry {
  name: string;
  type: string;
  holds: Tree;
}

/**
 * Templates as a text to review. References read "${Name.Attribute}". What is almost like an entry above it is told as that one with
 * what differs: the last that has the name, in the same template or in an earlier one.
 */
export function renderTemplates(templates: Record<string, Tree>): string {
  const told = new Map<string, Entry>();
  let text = "";
  for (const [title, template] of Object.entries(templates)) {
    const unchanged: string[] = [];
    text += `# ${title}\n`;
    for (const entry of entriesOf(template)) {
      const heading = `${entry.name} ${entry.type}`.trimStart();
      if (isDeepStrictEqual(told.get(heading), entry)) unchanged.push(entry.name);
      else text += `${heading}${renderBeside(entry, [...told.values()])}\n`;
      told.set(heading, entry);
    }
    text += `As before: ${unchanged.join(" ") || "nothing"}\n\n`;
  }
  return text;
}

function entriesOf(template: Tree): Entry[] {
  return Object.entries(template).flatMap(([section, entries]) =>
    Object.entries(isTree(entries) ? entries : { "": { Properties: { text: entries } } }).map(([name, entry]) => {
      const { Type, Properties, ...others } = readable(entry) as { Type?: string; Properties?: Tree };
      return { name, type: Type ?? section, holds: { ...others, ...Properties } };
    }),
  );
}

/** With references as text, hashes of files masked, and lists whose items have names as objects, since places in a list shift. */
function readable(part: unknown): unknown {
  if (typeof part === "string") return part.replaceAll("${", "${!").replaceAll(/\b[0-9a-f]{64}\b/g, "<hash>");
  if (Array.isArray(part)) {
    const named = part.some((item) => item?.Sid ?? item?.Id ?? item?.Key);
    return named ? readable(Object.fromEntries(part.map(takeName))) : part.map(readable);
  }
  if (!isTree(part)) return part;
  if (part.Ref !== undefined) return `\${${part.Ref}}`;
  if (part["Fn::GetAtt"] !== undefined) return `\${${(part["Fn::GetAtt"] as string[]).join(".")}}`;
  const [delimiter, parts] = (part["Fn::Join"] ?? []) as [string?, unknown[]?];
  const joined = parts?.map(readable);
  if (joined?.every((one) => typeof one === "string")) return joined.join(delimiter);
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, readable(value)]));
}

function takeName({ Sid, Id, Key, ...item }: Tree, index: number): [name: unknown, item: Tree] {
  return [Sid ?? Id ?? Key ?? index, item];
}

/** The entry in full, or beside the one above that is the most like it. */
function renderBeside({ name, type, holds }: Entry, told: Entry[]): string {
  const [closest] = told
    .filter((entry) => entry.type === type)
    .map((entry) => ({ as: entry.name === name ? "before" : entry.name, lines: differences(entry.holds, holds) }))
    .sort((a, b) => a.lines.length - b.lines.length || Number(b.as === "before") - Number(a.as === "before"));
  const full = shown(holds);
  if (closest === undefined || closest.lines.length >= full.split("\n").length) return ` ${full}`;
  return [`, as ${closest.as} but`, ...closest.lines].join(closest.lines.length === 1 ? " " : "\n  ");
}

function differences(base: Tree, value: Tree, path = ""): string[] {
  const without = Object.keys(base).filter((name) => !(name in value));
  return [
    ...(without.length > 0 ? [`${path}without ${without.join(", ")}`] : []),
    ...Object.entries(value).flatMap(([name, now]) => {
      const was = base[name];
      if (isDeepStrictEqual(was, now)) return [];
      if (isTree(was) && isTree(now)) return differences(was, now, `${path}${name}.`);
      return `${path}${name}: ${shown(now)}`.split("\n");
    }),
  ];
}

function shown(value: unknown): string {
  return inspect(value, { depth: null, breakLength: 160, compact: 8, maxArrayLength: null, maxStringLength: null });
}

/** Lists of objects are compared item by item too. */
function isTree(value: unknown): value is Tree {
  return Array.isArray(value) ? value.every(isTree) : typeof value === "object" && value !== null;
}
