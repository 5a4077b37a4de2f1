import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Readable } from "node:stream";
import { DataFolderUnusableError } from "../data-folder.ts";

type Callback<T> = (error: unknown, value?: T) => void;

export interface Range {
  gt?: string;
  gte?: string;
  lt?: string;
  lte?: string;
  reverse?: boolean;
  limit?: number;
}

export type Change = { type: "put"; key: string; value: unknown } | { type: "del"; key: string };

/** The database below dynalite's tables, as far as these use it. */
export interface Database {
  get(key: string, done: Callback<unknown>): void;
  put(key: string, value: unknown, done: Callback<void>): void;
  del(key: string, done: Callback<void>): void;
  batch(changes: readonly Change[], done: Callback<void>): void;
  createKeyStream(range?: Range): Readable;
  createValueStream(range?: Range): Readable;
}

const OPERATORS = { gt: ">", gte: ">=", lt: "<", lte: "<=" } as const;

/**
 * Values by key in a SQLite file. A write is done once the system has it, and so survives a kill -9. Reads and writes take some microseconds: too little for
 * a thread of their own.
 *
 * @throws {DataFolderUnusableError} when an earlier version kept its state there
 */
export function openItemsFile(folder: string): { database: Database; close(): void } {
  if (existsSync(`${folder}/CURRENT`)) {
    throw new DataFolderUnusableError(`An earlier version has kept its state in ${folder}.`, {
      hint: "Give another data folder, and with --start-from the date from which events are missing.",
    });
  }
  const file = new DatabaseSync(join(folder, "items.db"));
  file.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
    CREATE TABLE IF NOT EXISTS items (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID`);
  const get = file.prepare("SELECT value FROM items WHERE key = ?");
  const put = file.prepare("REPLACE INTO items VALUES (?, ?)");
  const del = file.prepare("DELETE FROM items WHERE key = ?");

  function* rows(range: Range): Generator<{ key: string; value: string }> {
    const bounds = Object.entries(OPERATORS).flatMap(([name, operator]) => {
      const bound = range[name as keyof typeof OPERATORS];
      return bound === undefined ? [] : [{ bound, text: `key ${operator} ?` }];
    });
    const where = bounds.length === 0 ? "" : `WHERE ${bounds.map(({ text }) => text).join(" AND ")}`;
    const order = `ORDER BY ${range.reverse === true ? "key DESC" : "key"} LIMIT ${range.limit ?? -1}`;
    const found = file.prepare(`SELECT key, value FROM items ${where} ${order}`);
    for (const row of found.iterate(...bounds.map(({ bound }) => bound))) yield row as { key: string; value: string };
  }

  function change(one: Change): void {
    if (one.type === "put") put.run(one.key, JSON.stringify(one.value));
    else del.run(one.key);
  }

  return {
    database: {
      get: (key, done) =>
        answer(done, () => {
          const row = get.get(key);
          return row === undefined ? undefined : JSON.parse(String(row.value));
        }),
      put: (key, value, done) => answer(done, () => change({ type: "put", key, value })),
      del: (key, done) => answer(done, () => change({ type: "del", key })),
      batch: (changes, done) => answer(done, () => changes.forEach(change)),
      createKeyStream: (range = {}) => Readable.from(rows(range).map(({ key }) => key)),
      createValueStream: (range = {}) => Readable.from(rows(range).map(({ value }) => JSON.parse(value) as unknown)),
    },
    close: () => file.close(),
  };
}

/** An error of `work` is the answer; one of `done` is its caller's. */
function answer<T>(done: Callback<T>, work: () => T): void {
  let value: T;
  try {
    value = work();
  } catch (error) {
    done(error);
    return;
  }
  done(null, value);
}
