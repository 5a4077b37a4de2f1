import { findPackageJSON } from "node:module";
import { dirname } from "node:path";

/** Where the package lies that this command is part of: the checkout, or the installed one. */
export function packageFolder(): string {
  return dirname(findPackageJSON(import.meta.url) ?? ".");
}
