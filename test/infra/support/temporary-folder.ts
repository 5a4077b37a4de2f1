import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

const made: string[] = [];

afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

/** A new folder that goes with the test file: bundles are megabytes. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "survey-poller-"));
  made.push(folder);
  return folder;
}
