import { configurationFields, type Field } from "./fields.ts";
import { type Group, sourceGroups, topGroups } from "./groups.ts";

const groups: Readonly<Record<string, Group>> = { ...sourceGroups, ...topGroups };
const meanings: Readonly<Record<string, string>> = Object.assign(
  {},
  ...Object.values(groups).map((one) => one.meanings),
);

/**
 * The tables of the configuration, by the marker that each stands at.
 *
 * @throws Error when a field has no meaning, or a meaning no field
 */
export function configurationTables(): ReadonlyMap<string, string> {
  const fields = new Map(configurationFields().map((field) => [field.path, field]));
  const unexplained = [...fields.keys()].filter((path) => meanings[path] === undefined);
  const unknown = Object.keys(meanings).filter((path) => !fields.has(path));
  if (unexplained.length + unknown.length > 0) {
    throw new Error(
      `codegen/configuration/groups.ts: no meaning for ${unexplained.join(", ") || "none"}; no field for ${unknown.join(", ") || "none"}`,
    );
  }
  const rows = (paths: readonly string[]): Field[] => paths.flatMap((path) => fields.get(path) ?? []);
  return new Map(Object.entries(groups).map(([name, group]) => [name, table(rows(Object.keys(group.meanings)))]));
}

/** The text with each table between its markers. Texts without a marker of a table lack it. */
export function withTables(text: string, tables: ReadonlyMap<string, string>): string {
  return text.replace(
    /(<!-- generated: ([\w ]+) -->)[\s\S]*?(<!-- end: \2 -->)/g,
    (_, begin: string, name: string, end: string) => {
      const found = tables.get(name);
      if (found === undefined) throw new Error(`there is no table "${name}": ${[...tables.keys()].join(", ")}`);
      return `${begin}\n\n${found}\n\n${end}`;
    },
  );
}

function table(fields: readonly Field[]): string {
  const rows = fields.map((field) => [
    `\`${shown(field.path)}\``,
    field.takes,
    defaultOf(field),
    meanings[field.path] ?? "",
  ]);
  return [["field", "takes", "default", "meaning"], ["---", "---", "---", "---"], ...rows]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
}

/** Types of events hold a dot themselves. */
function shown(path: string): string {
  return path.replace(/^events\.(.*)/, 'events."$1"');
}

function defaultOf(field: Field): string {
  // An empty section, which is its level alone.
  return field.path === "monitoring" ? '`"minimal"`' : field.default;
}
