import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { appendFileSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../errors.ts";

/** The log of the function, one JSON line each, as CloudWatch Logs has it of a stack. */
export interface LogFile {
  /** Writes what is on its way. */
  flush(): void;
  close(): void;
}

/** The newer of the two files, and the older one. */
const FILES = { now: "log.ndjson", before: "log.old.ndjson" } as const;
/** Bytes of one file: both together stay below 10 MB. */
const MOST = 4_900_000;
/** Milliseconds: thousands of lines come at once. */
const FLUSH_EVERY = 200;

/** Appends what the function of this process logs to the log file of a data folder. `anew`: what stood in it goes. */
export function openLogFile(dataDir: string, { anew = false, most = MOST } = {}): LogFile {
  const path = join(dataDir, FILES.now);
  if (anew) for (const name of Object.values(FILES)) rmSync(join(dataDir, name), { force: true });
  let lines: string[] = [];
  const flush = (): void => {
    if (lines.length === 0) return;
    const text = lines.join("");
    lines = [];
    try {
      if (sizeOf(path) + Buffer.byteLength(text) > most) renameSync(path, join(dataDir, FILES.before));
      appendFileSync(path, text, { mode: 0o600 });
    } catch {
      // A full disk stops the state first, which tells: no event is lost by a line that is.
    }
  };
  const onLine = (line: unknown): void => void lines.push(`${JSON.stringify(line)}\n`);
  subscribe("survey-poller:log", onLine);
  const timer = setInterval(flush, FLUSH_EVERY).unref();
  return {
    flush,
    close() {
      clearInterval(timer);
      unsubscribe("survey-poller:log", onLine);
      flush();
    },
  };
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** The lines of the log of a data folder, oldest first; none where nothing was logged yet. */
export function readLogLines(dataDir: string): string[] {
  return [FILES.before, FILES.now].flatMap((name) => linesOf(join(dataDir, name)));
}

function linesOf(path: string): string[] {
  try {
    return readFileSync(path, "utf8").split("\n").filter(Boolean);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}
