import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A fault as somebody might make it: one place of the code, written differently. */
export interface PlantedFault {
  name: string;
  /** The promises that it breaks: anything else that comes to light with it is no proof that it was found. */
  breaks: readonly string[];
  /** In lib/polling, or from there. */
  file: string;
  /** Stands in the file exactly once. */
  find: string;
  replace: string;
}

const root = join(import.meta.dirname, "../../..");

/** Why a fault cannot be planted; undefined when it can. */
export function misfit({ file, find, replace }: PlantedFault): string | undefined {
  const count = readFileSync(join(root, "lib/polling", file), "utf8").split(find).length - 1;
  if (count !== 1) return `"${find}" stands in ${file} ${count} times`;
  return find === replace ? "it changes nothing" : undefined;
}

/** A copy of the code and of the simulation with the fault in it: `simulation` is its folder; `remove` when done. */
export function plant({ file, find, replace }: PlantedFault): { simulation: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), "planted-"));
  for (const part of ["lib", "test/simulation", "test/support", "package.json"]) {
    cpSync(join(root, part), join(folder, part), { recursive: true });
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  const path = join(folder, "lib/polling", file);
  writeFileSync(
    path,
    readFileSync(path, "utf8").replace(find, () => replace),
  );
  return {
    simulation: join(folder, "test/simulation"),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
