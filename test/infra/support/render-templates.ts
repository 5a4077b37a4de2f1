import { isDeepStrictEqual } from "node:util";
import { filled, readableJson } from "../../../lib/events/generate/readable-json.ts";

type Tree = Record<string, unknown>;

/** A resource, or another entry of a template. */
interface Entry {
  name: string;
  type: string;
  holds: Tree;
}

/** Of the CDK itself. */
const NOT_OURS = ["BootstrapVersion", "CheckBootstrapVersion"];
/** Characters that are shown of a text: schemas are longer, and held elsewhere. */
const LONG = 8_000;

/**
 * Templates as a text to review. References read "${Name.Attribute}". What is almost like an entry above it is told as that one with
 * what differs: the last that has the name, in the same template or in an earlier one.
 */
export function renderTemplates(templates: Record<string, Tree>): string {
  const told = new Map<string, Entry>();
  let text = "";
  for (const [title, template] of Object.entries(templates)) {
    const equal: string[] = [];
    text += `# ${title}\n`;
    for (const entry of entriesOf(template)) {
      const heading = `${entry.name} ${entry.type}`.trimStart();
      const same = [...told.values()].findLast(
        ({ type, holds }) => entry.type === type && isDeepStrictEqual(entry.holds, holds),
      );
      if (isDeepStrictEqual(told.get(heading), entry)) equal.push(entry.name);
      else if (same !== undefined) equal.push(`${entry.name} as ${same.name}`);
      else text += `${heading}${renderBeside(entry, [...told.values()])}\n`;
      told.set(heading, entry);
    }
    text += `As before:\n${filled(equal, "  ").join("\n") || "  nothing"}\n\n`;
  }
  return text;
}

function entriesOf(template: Tree): Entry[] {
  return Object.entries(template).flatMap(([section, entries]) =>
    Object.entries(isTree(entries) ? entries : { "": { Properties: { text: entries } } })
      .filter(([name]) => !NOT_OURS.includes(name))
      .map(([name, entry]) => {
        const { Type, Properties, ...others } = readable(entry) as { Type?: string; Properties?: Tree };
        return { name, type: Type ?? section, holds: { ...others, ...Properties } };
      }),
  );
}

/** With references as text, hashes of files masked, and lists whose items have names as objects, since places in a list shift. */
function readable(part: unknown): unknown {
  if (typeof part === "string") {
    const text = part.replaceAll("${", "${!").replaceAll(/\b[0-9a-f]{64}\b/g, "<hash>");
    return text.length > LONG ? `${text.slice(0, LONG)}…` : text;
  }
  if (Array.isArray(part)) {
    const named = part.some((item) => item?.Sid ?? item?.Id ?? item?.Key);
    return named ? readable(Object.fromEntries(part.map(takeName))) : part.map(readable);
  }
  if (!isTree(part)) return part;
  if (part.Effect !== undefined) return sentence(part);
  if (part.Statement !== undefined && part.Version !== undefined) return readable(part.Statement);
  if (part.Ref !== undefined) return `\${${part.Ref}}`;
  if (part["Fn::GetAtt"] !== undefined) return `\${${(part["Fn::GetAtt"] as string[]).join(".")}}`;
  const [delimiter, parts] = (part["Fn::Join"] ?? []) as [string?, unknown[]?];
  const joined = parts?.map(readable);
  if (joined?.every((one) => typeof one === "string")) return joined.join(delimiter);
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, readable(value)]));
}

/** The name of an item, and what it holds; of a tag that is a text alone. */
function takeName({ Sid, Id, Key, ...item }: Tree, index: number): [name: unknown, item: unknown] {
  return [Sid ?? Id ?? Key ?? index, Key === undefined ? item : item.Value];
}

/** A statement of a policy, without quotes. */
function sentence({ Effect, Action, ...others }: Tree): string {
  const words = (some: unknown): string => {
    const texts = [some].flat().map((one) => JSON.stringify(readable(one)));
    return texts.join(" ").replaceAll('"', "");
  };
  const rest = Object.entries(others).map(([name, value]) => `, ${name}: ${words(value)}`);
  return `${Effect} ${words(Action)}${rest.join("")}`;
}

/** The entry in full, or beside the one above that has its name, or else is the most like it. */
function renderBeside({ name, type, holds }: Entry, told: Entry[]): string {
  const alike = told.filter((entry) => entry.type === type);
  const named = alike.filter((entry) => entry.name === name);
  const [closest] = (named.length > 0 ? named : alike)
    .map((entry) => ({ as: entry.name, lines: filled(differences(entry.holds, holds), "  ") }))
    .sort((a, b) => a.lines.length - b.lines.length);
  const full = readableJson(holds);
  if (closest === undefined || closest.lines.length >= full.split("\n").length) return ` ${full}`;
  return [`, as ${closest.as === name ? "before" : closest.as} but`, ...closest.lines].join("\n");
}

function differences(base: Tree, value: Tree, path = ""): string[] {
  const without = Object.keys(base).filter((name) => !(name in value));
  return [
    ...(without.length > 0 ? [`${path}without ${without.join(" ")}`] : []),
    ...Object.entries(value).flatMap(([name, now]) => {
      const was = base[name];
      if (isDeepStrictEqual(was, now)) return [];
      if (isTree(was) && isTree(now)) return differences(was, now, `${path}${name}.`);
      return `${path}${name}: ${readableJson(now, "  ", path.length + name.length)}`;
    }),
  ];
}

/** Lists of objects are compared item by item too. */
function isTree(value: unknown): value is Tree {
  return Array.isArray(value) ? value.every(isTree) : typeof value === "object" && value !== null;
}
