import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import type { RunEnd } from "../../cli/target/target.ts";
import { errorCode } from "../../errors.ts";
import { replaceFile } from "../aws/data-folder.ts";

/** A note of the last run in a data folder for other commands: how its function is called, how its AWS is reached, and how it ended. */
export interface LastRun {
  /** Environment of the function. */
  variables: Record<string, string>;
  /** Environment that leads an SDK to the embedded AWS of the run. Of no use once the run has ended. */
  aws: Record<string, string>;
  /** Absolute path of the file that its events went to, or "-" for standard output; absent where it had none. */
  events?: string | undefined;
  /** Absent while it is at work, and after an end that nothing could note, such as kill -9. */
  end?: RunEnd | undefined;
}

const FILE = "run.json";
const text = z.record(z.string(), z.string());
const end = z.object({ at: z.number(), cause: z.string().optional() });
const schema = z.object({ variables: text, aws: text, events: z.string().optional(), end: end.optional() });

export function writeLastRun(dataDir: string, run: LastRun): void {
  replaceFile(join(dataDir, FILE), JSON.stringify(run));
}

/** Notes the end of the run that has the folder. */
export function noteEnd(dataDir: string, ended: RunEnd): void {
  const run = readLastRun(dataDir);
  if (run !== undefined) writeLastRun(dataDir, { ...run, end: ended });
}

/** Undefined where no run has been, or of another version. */
export function readLastRun(dataDir: string): LastRun | undefined {
  try {
    return schema.safeParse(JSON.parse(readFileSync(join(dataDir, FILE), "utf8"))).data;
  } catch (error) {
    if (error instanceof SyntaxError || errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
