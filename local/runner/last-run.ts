import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { errorCode } from "../../lib/errors.ts";
import { replaceFile } from "../aws/data-folder.ts";

/** A note of the last run in a data folder for other commands: how its function is called, and how its AWS is reached. */
export interface LastRun {
  /** Environment of the function. */
  variables: Record<string, string>;
  /** Environment that leads an SDK to the embedded AWS of the run. Of no use once the run has ended. */
  aws: Record<string, string>;
}

const FILE = "run.json";
const text = z.record(z.string(), z.string());
const schema = z.object({ variables: text, aws: text });

export function writeLastRun(dataDir: string, run: LastRun): void {
  replaceFile(join(dataDir, FILE), JSON.stringify(run));
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
