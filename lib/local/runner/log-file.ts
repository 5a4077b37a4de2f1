import { subscribe } from "node:diagnostics_channel";
import { appendFileSync, existsSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

/** The newer of the two files, and the older one. */
const FILES = { now: "log.ndjson", before: "log.old.ndjson" } as const;
/** Bytes of one file: both together stay below 10 MB. */
const MOST = 4_900_000;
/** Milliseconds: thousands of lines come at once. */
const FLUSH_EVERY = 200;

/** Removes the log of earlier runs. */
export function removeLog(dataDir: string): void {
  for (const name of Object.values(FILES)) rmSync(join(dataDir, name), { force: true });
}

/**
 * Appends what the function of this thread logs to the log file of a data folder, one JSON line each, as CloudWatch Logs has it of a stack. Gives
 * the function that writes what is on its way.
 */
export function openLogFile(dataDir: string, most = MOST): () => void {
  const path = join(dataDir, FILES.now);
  let lines: string[] = [];
  const flush = (): void => {
    if (lines.length === 0) return;
    const text = lines.join("");
    lines = [];
    try {
      const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
      if (size + Buffer.byteLength(text) > most) renameSync(path, join(dataDir, FILES.before));
      appendFileSync(path, text, { mode: 0o600 });
    } catch {
      // A full disk stops the state first, which tells: no event is lost by a line that is.
    }
  };
  subscribe("survey-poller:log", (line) => void lines.push(`${JSON.stringify(line)}\n`));
  setInterval(flush, FLUSH_EVERY).unref();
  return flush;
}

/** The lines of the log of a data folder, oldest first; none where nothing was logged yet. */
export function readLogLines(dataDir: string): string[] {
  const files = [FILES.before, FILES.now].map((name) => join(dataDir, name)).filter((path) => existsSync(path));
  return files.flatMap((path) => readFileSync(path, "utf8").split("\n").filter(Boolean));
}
