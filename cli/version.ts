import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "./package-folder.ts";

/** The version of the package that this command is part of. */
export function packageVersion(): string {
  return JSON.parse(readFileSync(join(packageFolder(), "package.json"), "utf8")).version;
}
