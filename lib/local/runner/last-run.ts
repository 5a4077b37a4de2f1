import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { parseJson } from "../../secrets/secret-values.ts";
import { replaceFile } from "../aws/data-folder.ts";

export const LAST_RUN = "run.json";
const text = z.record(z.string(), z.string());
const schema = z.object({
  /** Environment of the function. */
  variables: text,
  /** Environment that leads an SDK to the embedded AWS of the run. Of no use once the run has ended. */
  aws: text,
  /** Absolute path of the file that its events went to, or "-" for standard output; absent where it had none. */
  events: z.string().optional(),
  /** Absent while it is at work, and after an end that nothing could note, such as kill -9. */
  end: z.object({ at: z.number(), cause: z.string().optional() }).optional(),
});

/** A note of the last run in a data folder for other commands: how its function is called, how its AWS is reached, and how it ended. */
export type LastRun = z.infer<typeof schema>;

export function writeLastRun(dataDir: string, run: LastRun): void {
  replaceFile(join(dataDir, LAST_RUN), JSON.stringify(run));
}

/** Notes the end of the run that has the folder. */
export function noteEnd(dataDir: string, end: LastRun["end"]): void {
  const run = readLastRun(dataDir);
  if (run !== undefined) writeLastRun(dataDir, { ...run, end });
}

/** Undefined where no run has been, or of another version. */
export function readLastRun(dataDir: string): LastRun | undefined {
  const path = join(dataDir, LAST_RUN);
  return existsSync(path) ? schema.safeParse(parseJson(readFileSync(path, "utf8"))).data : undefined;
}
