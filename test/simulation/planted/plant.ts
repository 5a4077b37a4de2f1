import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { transformSync } from "esbuild";

/** A fault as somebody might make it: one line of the code, written differently. */
export interface PlantedFault {
  /** The marker `// fault: NAME` stands above the line. */
  name: string;
  /** The promises that it breaks: anything else that comes to light with it is no proof that it was found. */
  breaks: readonly string[];
  /** Seeds of which one catches it, where that takes less than a few seconds. A sample has only such faults. */
  within: number | undefined;
  /** The line with the fault in it, or how it comes of the line. */
  line: string | ((code: string) => string);
}

const root = join(import.meta.dirname, "../../..");
const MARKER = /^\s*\/\/ fault: (.*)$/;

const markersIn = (text: string): string[] => text.split("\n").flatMap((line) => MARKER.exec(line)?.[1] ?? []);

/** The markers of the code, each with the files in which it stands. */
export const marked: ReadonlyMap<string, readonly string[]> = findMarkers();

function findMarkers(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const file of globSync("lib/**/*.ts", { cwd: root }).sort()) {
    for (const name of markersIn(readFileSync(join(root, file), "utf8"))) {
      found.set(name, [...(found.get(name) ?? []), file]);
    }
  }
  return found;
}

/** Why a fault cannot be planted; undefined when it can. */
export function misfit(fault: PlantedFault): string | undefined {
  const files = marked.get(fault.name) ?? [];
  if (files.length !== 1) return `"// fault: ${fault.name}" stands ${files.length} times in lib`;
  const text = readFileSync(join(root, files[0] ?? ""), "utf8");
  const changed = withFault(text, fault);
  if (changed === text) return "it changes nothing";
  try {
    transformSync(changed, { loader: "ts", logLevel: "silent" });
    return undefined;
  } catch (error) {
    return `what it makes is no code: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** The text with the first line of code below the marker replaced. */
function withFault(text: string, { name, line }: PlantedFault): string {
  const lines = text.split("\n");
  const marker = lines.findIndex((one) => MARKER.exec(one)?.[1] === name);
  const at = lines.findIndex((one, i) => i > marker && !/^\s*\/\//.test(one));
  return lines.with(at, typeof line === "string" ? line : line(lines[at] ?? "")).join("\n");
}

/** A copy of the code and of the simulation with the fault in it: `simulation` is its folder; `remove` when done. */
export function plant(fault: PlantedFault): { simulation: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), "planted-"));
  for (const part of ["lib", "test/simulation", "test/support", "package.json"]) {
    cpSync(join(root, part), join(folder, part), { recursive: true });
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  const path = join(folder, marked.get(fault.name)?.[0] ?? "");
  writeFileSync(path, withFault(readFileSync(path, "utf8"), fault));
  return {
    simulation: join(folder, "test/simulation"),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
