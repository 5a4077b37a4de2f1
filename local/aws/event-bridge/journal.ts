import { appendFileSync, closeSync, existsSync, openSync, readFileSync, statSync } from "node:fs";
import { z } from "zod";
import { replaceFile } from "../data-folder.ts";

const delivery = z.object({
  id: z.string(),
  queueArn: z.string(),
  body: z.string(),
  messageGroupId: z.string().optional(),
});

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

/** Rewritten with what is still pending when it has grown this far: bodies of finished deliveries are ballast. */
const REWRITE_BYTES = 8 * 1024 * 1024;

/**
 * Deliveries in a file to which only whole lines are appended. It outlives a kill -9 (the system has the data then),
 * not a power cut.
 */
export function openJournal(file: string): Journal {
  const pending = read(file);
  const text = () => [...pending.values()].map((put) => `${JSON.stringify({ put })}\n`).join("");
  replaceFile(file, text());
  let descriptor = openSync(file, "a");

  function append(lines: string): void {
    appendFileSync(descriptor, lines);
  }

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
      if (pending.size > 0 || statSync(file).size < REWRITE_BYTES) return;
      closeSync(descriptor);
      replaceFile(file, text());
      descriptor = openSync(file, "a");
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
