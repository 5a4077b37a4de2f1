import { dirname, join } from "node:path/posix";
import { parseSync } from "oxc-parser";

/** Source text by path from the root. */
export type Sources = ReadonlyMap<string, string>;

const CORE = "lib/polling/";

/** Mermaid text of the rooms of the core and of what each imports, read from the sources. */
export function folderPicture(sources: Sources): string {
  const edges = new Set<string>();
  const rooms = new Set<string>();
  for (const [file, source] of sources) {
    const room = roomOf(file);
    if (room === undefined) continue;
    rooms.add(room);
    for (const target of importsOf(file, source)) {
      const other = roomOf(target);
      if (other !== undefined && other !== room) edges.add(`${room} --> ${other}`);
    }
  }
  const shortest = withoutDetours([...edges].sort());
  return ["flowchart TD", ...[...[...rooms].sort(), ...shortest].map((line) => `  ${line}`)].join("\n");
}

/** The room of the core that a file stands in. What stands beside the rooms is the ground of all of them, and is not drawn. */
function roomOf(file: string): string | undefined {
  return /^lib\/polling\/([a-z]+)\//.exec(file)?.[1];
}

function importsOf(file: string, source: string): string[] {
  const { staticImports, staticExports, dynamicImports } = parseSync(file, source).module;
  const named = [
    ...staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...staticExports.flatMap(({ entries }) => entries.map(({ moduleRequest }) => moduleRequest?.value ?? "")),
    ...dynamicImports.map(({ moduleRequest }) => source.slice(moduleRequest.start + 1, moduleRequest.end - 1)),
  ];
  return named
    .filter((specifier) => specifier.startsWith("."))
    .map((specifier) => join(dirname(file), specifier))
    .filter((path) => path.startsWith(CORE));
}

/** Leaves out an arrow where a longer way leads to the same room: the picture would be a knot. */
function withoutDetours(edges: string[]): string[] {
  const next = new Map<string, string[]>();
  const pairs = edges.map((edge) => edge.split(" --> ") as [string, string]);
  for (const [from, to] of pairs) next.set(from, [...(next.get(from) ?? []), to]);
  const reaches = (from: string, to: string): boolean =>
    (next.get(from) ?? []).some((step) => step === to || reaches(step, to));
  return pairs
    .filter(([from, to]) => !(next.get(from) ?? []).some((step) => step !== to && reaches(step, to)))
    .map(([from, to]) => `${from} --> ${to}`);
}
