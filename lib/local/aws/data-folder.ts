import { accessSync, chmodSync, constants, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { errorCode, PollerError } from "../../errors.ts";

/** Another process (or another start in this one) already works on the data folder. */
export class DataFolderInUseError extends PollerError {
  override readonly code = "DATA_FOLDER_IN_USE";
}

/** The data folder cannot be made or written to, or what lies in it is damaged. */
export class DataFolderUnusableError extends PollerError {
  override readonly code = "DATA_FOLDER_UNUSABLE";
}

/** One subfolder for the state of each service. */
const parts = ["dynamodb", "queues-and-buckets", "event-bridge", "secrets"] as const;
export type DataPart = (typeof parts)[number];

/**
 * Makes the folder (mode 0700) and takes it for this process.
 *
 * @throws {DataFolderInUseError} when it is taken
 * @throws {DataFolderUnusableError} when it cannot be made or written to
 */
export function openDataFolder(dataDir: string) {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new DataFolderUnusableError(`The data folder ${dataDir} cannot be used (${errorCode(cause)}).`, {
      cause,
      hint: "Give a folder that can be made and written to.",
    });
  }
  const release = lock(join(dataDir, "lock.db"), dataDir);
  return {
    release,
    /** A subfolder, made when needed, readable by its owner only. */
    folder(name: DataPart): string {
      const path = join(dataDir, name);
      mkdirSync(path, { recursive: true, mode: 0o700 });
      // The parent may be a folder of the user's own with other permissions, and the umask may have added none.
      chmodSync(path, 0o700);
      return path;
    },
  };
}

/**
 * Forgets all state in the folder; whatever else lies there stays.
 *
 * @throws {DataFolderInUseError} when it is taken
 */
export function clearDataFolder(dataDir: string): void {
  const { release } = openDataFolder(dataDir);
  for (const part of parts) rmSync(join(dataDir, part), { recursive: true, force: true });
  release();
}

const SQLITE_BUSY = 5;
/** In the words of the system and of SQLite. */
const FULL = /ENOSPC|EDQUOT|EFBIG|no space left|quota exceeded|file too large|disk is full|disk I\/O error/i;

/** The meaning of an error that a store has thrown: the disk of its data folder takes no more, or its table is damaged. Undefined of any other error. */
export function storeFailure(error: unknown, dataDir: string): DataFolderUnusableError | undefined {
  if (!(error instanceof Error) || error instanceof PollerError) return undefined;
  const isMeant = isDiskFull(error) || /^ERR_SQLITE/.test(errorCode(error));
  return isMeant ? unopened(dataDir, "dynamodb", error) : undefined;
}

/** The meaning of an error with which a part of the folder could not be opened. */
export function unopened(dataDir: string, part: DataPart, cause: unknown): DataFolderUnusableError {
  if (isDiskFull(cause)) {
    return new DataFolderUnusableError(`The disk of the data folder ${dataDir} takes no more (${errorCode(cause)}).`, {
      cause,
      hint: "Make room on it and start again: what was emitted is in the ledger, and the rest goes out then.",
    });
  }
  return new DataFolderUnusableError(`The data folder ${dataDir} is damaged: ${join(dataDir, part)} cannot be read.`, {
    cause,
    hint: "Put back a copy of the whole folder, or name another by --data, which begins where --start-from says. An event that comes again has the same eventId.",
  });
}

function isDiskFull(error: unknown): boolean {
  return FULL.test(`${errorCode(error)} ${error instanceof Error ? error.message : ""}`);
}

/** A SQLite write lock: the system drops it with the process, however that ends, where a pid file would stay behind. */
function lock(file: string, dataDir: string): () => void {
  const database = new DatabaseSync(file);
  try {
    database.exec("PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE");
  } catch (cause) {
    database.close();
    if ((cause as { errcode?: number }).errcode !== SQLITE_BUSY) {
      throw new DataFolderUnusableError(`The data folder ${dataDir} is damaged: ${file} cannot be used.`, {
        cause,
        hint: "Remove that file, which holds nothing.",
      });
    }
    throw new DataFolderInUseError(`The data folder ${dataDir} is in use by another process.`, {
      cause,
      hint: "Stop the other process, or give this one a data folder of its own.",
    });
  }
  return () => database.close();
}

/** Replaces a file as a whole, so that no crash leaves half of it; readable by its owner only. */
export function replaceFile(path: string, text: string): void {
  const next = `${path}.next`;
  writeFileSync(next, text, { mode: 0o600 });
  renameSync(next, path);
}
