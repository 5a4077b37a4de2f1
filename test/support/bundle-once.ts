import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleFunction } from "../../infra/bundle.ts";

/** Bundles the polling function once for all processes that a run of tests starts: each would make the same bytes. */
export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "survey-poller-functions-"));
  bundleFunction("poll", join(folder, "poll"));
  process.env.BUNDLED_ONCE = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
