import { appendFileSync, closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { z } from "zod";
import { replaceFile } from "../data-folder.ts";

const delivery = z.object({ id: z.string(), queueArn: z.string(), body: z.string() });

/** One event on its way to one target. */
export type Delivery = z.infer<typeof delivery>;

const line = z.union([z.object({ put: delivery }), z.object({ done: z.string() })]);

export interface Journal {
  /** Deliveries that an earlier process accepted and did not finish, oldest first. */
  pending(): Delivery[];
  /** On return, the deliveries survive the end of the process. */
  add(deliveries: readonly Delivery[]): void;
  done(id: string): void;
  close(): void;
}

/**
 * Bytes appended before the file is rewritten with the deliveries that are still pending: bodies of finished ones are ballast. If twice the
 * size of the last rewrite is more, that counts: a long queue is not copied over and over.
 */
const REWRITE_BYTES = 8 * 1024 * 1024;

/**
 * Deliveries in a file to which only whole lines are appended. It outlives a kill -9 (the system has the data then),
 * not a power cut.
 */
export function openJournal(file: string, rewriteBytes = REWRITE_BYTES): Journal {
  const pending = read(file);
  let descriptor = -1;
  let appended = 0;
  let rewriteAt = 0;

  function rewrite(): void {
    if (descriptor >= 0) closeSync(descriptor);
    const text = [...pending.values()].map((put) => `${JSON.stringify({ put })}\n`).join("");
    replaceFile(file, text);
    descriptor = openSync(file, "a");
    appended = 0;
    rewriteAt = Math.max(rewriteBytes, 2 * text.length);
  }

  function append(lines: string): void {
    appendFileSync(descriptor, lines);
    appended += lines.length;
  }

  rewrite();
  return {
    pending: () => [...pending.values()],
    add(deliveries) {
      if (deliveries.length === 0) return;
      append(deliveries.map((put) => `${JSON.stringify({ put })}\n`).join(""));
      for (const put of deliveries) pending.set(put.id, put);
    },
    done(id) {
      pending.delete(id);
      append(`${JSON.stringify({ done: id })}\n`);
      if (appended >= rewriteAt) rewrite();
    },
    close: () => closeSync(descriptor),
  };
}

function read(file: string): Map<string, Delivery> {
  const pending = new Map<string, Delivery>();
  if (!existsSync(file)) return pending;
  const lines = readFileSync(file, "utf8").split("\n");
  // What follows the last line end is empty, or a line torn by a crash: then nothing of it was promised to anyone.
  lines.pop();
  for (const text of lines) {
    const entry = line.parse(JSON.parse(text));
    if ("put" in entry) pending.set(entry.put.id, entry.put);
    else pending.delete(entry.done);
  }
  return pending;
}
