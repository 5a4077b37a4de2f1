import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const made: string[] = [];

/** For the end of each test file: bundles are megabytes. */
export function removeTemporaryFolders(): void {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** A new folder that goes with `removeTemporaryFolders`. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "survey-poller-"));
  made.push(folder);
  return folder;
}
