import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The token of a page. It is kept with the state of a run, if any: a page that is open goes on when its run comes back. */
export function tokenFor(folder: string | undefined): string {
  const file = folder === undefined ? undefined : join(folder, "console-token");
  if (file !== undefined && existsSync(file)) {
    const kept = readFileSync(file, "utf8");
    if (/^[\w-]{22}$/.test(kept)) return kept;
  }
  const token = randomBytes(16).toString("base64url");
  // Nobody else on this machine may read it.
  if (file !== undefined) writeFileSync(file, token, { mode: 0o600 });
  return token;
}
