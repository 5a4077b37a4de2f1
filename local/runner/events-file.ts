import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";
import { UsageError } from "../../cli/flags.ts";
import { errorCode } from "../../lib/errors.ts";

/** Where the events go, one JSON line each. */
export interface EventsFile {
  append(line: string): void;
  close(): void;
}

const TAIL = 65_536;
const NEWLINE = 0x0a;

/**
 * Opens FILE for appending, or standard output for "-". A last line without its newline was torn by a crash before its event was
 * acknowledged. The event comes again, so the torn line is cut off.
 */
export function openEventsFile(target: string): EventsFile {
  if (target === "-") return { append: (line) => writeAll(1, `${line}\n`), close: () => undefined };
  let file: number;
  try {
    file = openSync(target, "a+", 0o600);
  } catch (cause) {
    throw new UsageError(`the events file ${target} cannot be opened (${errorCode(cause)})`, {
      cause,
      hint: "Give --events a file that can be written, or -.",
    });
  }
  cutTornLine(file);
  return { append: (line) => writeAll(file, `${line}\n`), close: () => closeSync(file) };
}

function cutTornLine(file: number): void {
  let end = fstatSync(file).size;
  if (!fstatSync(file).isFile()) return;
  const buffer = Buffer.alloc(TAIL);
  while (end > 0) {
    const from = Math.max(0, end - TAIL);
    const length = readSync(file, buffer, 0, end - from, from);
    const last = buffer.subarray(0, length).lastIndexOf(NEWLINE);
    if (last >= 0) {
      ftruncateSync(file, from + last + 1);
      return;
    }
    end = from;
  }
  ftruncateSync(file, 0);
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
