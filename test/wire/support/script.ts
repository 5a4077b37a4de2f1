import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Fault } from "../../support/aws/faults.ts";

/** Name of the environment variable in which the script travels into the command's process. */
export const SCRIPT = "WIRE_SCRIPT";

/** The `nth` request (from 1): of the service once it was answered, the others before or after they were done. */
export interface KillMoment {
  of: "service" | "table-write" | "bus";
  nth: number;
  phase: "arrived" | "answered";
}

/** What is to happen inside the command's process. */
export interface Script {
  kill?: KillMoment;
  faults?: { list: readonly Fault[]; hitsFile: string };
  /** Milliseconds by which its clock is ahead. */
  ahead?: number;
}

/** The environment that makes a command follow the script. */
export function scripted(script: Script): Record<string, string> {
  return {
    // As a URL: a path with a space in it would be two options.
    NODE_OPTIONS: `--import ${pathToFileURL(join(import.meta.dirname, "in-command.ts")).href}`,
    [SCRIPT]: JSON.stringify(script),
  };
}

/** How many requests each fault of a command that has ended has hit, in the order in which they were given. */
export function readHits(hitsFile: string): number[] {
  return JSON.parse(readFileSync(hitsFile, "utf8")) as number[];
}
