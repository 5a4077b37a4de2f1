import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";
import { UsageError } from "../../cli/errors.ts";
import { errorCode, PollerError } from "../../errors.ts";
import { parseJson } from "../../secrets/secret-values.ts";

/** Where the events go, one JSON line each. */
export type EventsFile = ReturnType<typeof openEventsFile>;

/** The file of `--events` takes no more. */
export class EventsFileError extends PollerError {
  readonly code = "EVENTS_FILE_UNUSABLE";
}

const NEWLINE = 0x0a;
/** How each line begins: by it a file of events is told from one that holds something else. */
const BEGINNING = '{"version":"0",';

/**
 * Opens FILE for appending, or standard output for "-". A last line that is no whole event was torn by a crash before its event was
 * acknowledged. The event comes again, so the torn line is cut off.
 *
 * @throws UsageError where the file cannot be opened, or holds something else than events
 */
export function openEventsFile(target: string) {
  const file = target === "-" ? 1 : openFile(target);
  const name = target === "-" ? "standard output" : `the events file ${target}`;
  let failure: EventsFileError | undefined;
  return {
    append(line: string): void {
      // After a part of a line nothing may follow, which would be lost in it.
      if (failure !== undefined) throw failure;
      try {
        writeAll(file, `${line}\n`);
      } catch (cause) {
        failure = new EventsFileError(`${name} takes no more events (${errorCode(cause)})`, {
          cause,
          hint: "Make room, or name another file by --events: what it has not taken goes out with the next run.",
        });
        throw failure;
      }
    },
    close(): void {
      if (target !== "-") closeSync(file);
    },
  };
}

function openFile(target: string): number {
  let file: number;
  try {
    file = openSync(target, "a+", 0o600);
  } catch (cause) {
    throw new UsageError(`the events file ${target} cannot be opened (${errorCode(cause)})`, {
      cause,
      hint: "Give --events a file that can be written, or -.",
    });
  }
  const { size } = fstatSync(file);
  if (!fstatSync(file).isFile() || size === 0) return file;
  if (!BEGINNING.startsWith(bytesOf(file, 0, BEGINNING.length).toString())) {
    closeSync(file);
    throw new UsageError(`${target} holds something else than events`, {
      hint: "Nothing of it was changed. Give --events a file of its own.",
    });
  }
  mendLastLine(file, size);
  return file;
}

/** A last line that lacks its newline gets it where it is a whole event, and else goes. */
function mendLastLine(file: number, size: number): void {
  let line = Buffer.alloc(0);
  for (let length = 65_536; line.length < size && !line.includes(NEWLINE); length *= 2) {
    line = bytesOf(file, Math.max(0, size - length), length);
  }
  line = line.subarray(line.lastIndexOf(NEWLINE) + 1);
  if (line.length === 0) return;
  if (parseJson(line.toString()) !== undefined) writeAll(file, "\n");
  else ftruncateSync(file, size - line.length);
}

function bytesOf(file: number, from: number, length: number): Buffer<ArrayBuffer> {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(file, bytes, 0, length, from));
}

/** Synchronous, so that a line is with the system before its event is acknowledged. */
function writeAll(file: number, text: string): void {
  const data = Buffer.from(text);
  for (let written = 0; written < data.length; ) {
    try {
      written += writeSync(file, data, written);
    } catch (error) {
      // A full pipe whose reader is slow: the bus waits with it.
      if (errorCode(error) !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
