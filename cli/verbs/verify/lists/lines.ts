import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createInterface } from "node:readline";
import { errorCode } from "../../../../lib/errors.ts";
import { CommandError, InterruptedError } from "../../../errors.ts";
import { eventIdsIn } from "../../../ids/event-ids.ts";
import { nothingRead } from "../text.ts";
import type { ListReader, TakenList } from "./list.ts";

const TOLD_EVERY = 10_000;

/** Takes the ids of each line; gives how many lines hold none, but for the head of a table. */
export async function takeLines(input: NodeJS.ReadableStream, { ids, signal, tell }: ListReader) {
  let lines = 0;
  let found = 0;
  let unreadable = 0;
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (signal.aborted) throw new InterruptedError();
    // A list may stand in brackets.
    if (/^[\s[\],]*$/.test(line)) continue;
    lines += 1;
    const own = eventIdsIn(line);
    if (own === undefined && lines > 1) unreadable += 1;
    for (const id of own ?? []) ids.add(id);
    found += own?.length ?? 0;
    if (lines % TOLD_EVERY === 0) tell(`${lines.toLocaleString("en-US")} lines read`);
  }
  return { lines, found, unreadable };
}

/** The ids of a file: one a line, NDJSON of whole events, or the first column of a CSV. `-` is standard input. */
export async function readFileList(file: string, input: NodeJS.ReadableStream, reader: ListReader): Promise<TakenList> {
  const isInput = file === "-";
  const asOf = isInput ? reader.now() : await modifiedAt(file);
  const { lines, found, unreadable } = await takeLines(isInput ? input : createReadStream(file), reader);
  const from = isInput ? "standard input" : file;
  if (lines > 0 && found === 0) {
    throw nothingRead(
      from,
      "Give one event id a line, whole events as NDJSON, or a CSV with the ids in its first column.",
    );
  }
  return { from, asOf, unreadable };
}

async function modifiedAt(file: string): Promise<number> {
  try {
    return (await stat(file)).mtimeMs;
  } catch (error) {
    throw new CommandError("FILE_UNREADABLE", `the file of --ids cannot be read (${errorCode(error)})`, {
      hint: "Give a file with one event id a line, or - for standard input.",
      cause: error,
    });
  }
}
