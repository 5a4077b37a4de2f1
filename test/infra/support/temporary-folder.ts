import { mkdtempSync } from "node:fs";
import { join } from "node:path";

/** A new folder that goes with the run of all tests. */
export function temporaryFolder(): string {
  return mkdtempSync(join(process.env.BUNDLED_ONCE ?? "", "temporary-"));
}
