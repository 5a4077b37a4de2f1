import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Readable } from "node:stream";
import { AwsError, type Operation } from "./aws-json.ts";

const require = createRequire(import.meta.url);

/** A failure as dynalite tells it. */
interface Failure {
  statusCode?: number;
  body?: { __type: string; message?: string; Message?: string };
}

type Done = (error: Failure | null | undefined, output?: unknown) => void;
type GetTable = (name: string, ...rest: [Done] | [boolean, Done]) => void;
interface Store {
  db: object;
  getTable: GetTable;
}
type Action = (store: Store, input: unknown, done: Done) => void;
interface Validations {
  checkTypes(input: unknown, types: unknown): unknown;
  checkValidations(input: unknown, types: unknown, custom: unknown, store: Store): void;
}

/**
 * The operations of DynamoDB: those of dynalite, without its server and over another database. Its own hands each read to a thread, and its server ends the
 * process when a client breaks off while it is sending.
 */
export function dynamodbOperations(database: ReturnType<typeof openItemsFile>["database"]): Record<string, Operation> {
  const { create } = require("dynalite/db") as { create(options: object): Store };
  const { checkTypes, checkValidations } = require("dynalite/validations") as Validations;
  const store = create({ createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 });
  Object.assign(store.db, database);
  const tables = new Map<string, unknown>();
  store.getTable = knowing(tables, store.getTable);

  function operation(file: string): Operation {
    const { types, custom } = require(`dynalite/validations/${file}`) as { types: unknown; custom: unknown };
    const act = require(`dynalite/actions/${file}`) as Action;
    return async (given) => {
      try {
        const input = checkTypes(given, types);
        checkValidations(input, types, custom, store);
        return await new Promise((resolve, reject) => {
          act(store, input, (error, output) => (error ? reject(error) : resolve(output)));
        });
      } catch (error) {
        const { statusCode, body } = error as Failure;
        if (body === undefined) throw error;
        throw new AwsError(body.__type, body.message ?? body.Message ?? "", statusCode);
      } finally {
        if (file.endsWith("Table")) tables.clear();
      }
    };
  }
  const files = readdirSync(join(dirname(require.resolve("dynalite")), "actions")).map((name) => basename(name, ".js"));
  return Object.fromEntries(files.map((file) => [file.charAt(0).toUpperCase() + file.slice(1), operation(file)]));
}

/** dynalite asks for the table of each item of a batch: the description of one that stands is kept. */
function knowing(tables: Map<string, unknown>, getTable: GetTable): GetTable {
  return (name, ...rest) => {
    const done = rest.at(-1) as Done;
    const known = tables.get(name);
    if (known !== undefined) return done(null, known);
    const [checkStatus = true] = rest.length === 1 ? [] : rest;
    getTable(name, checkStatus as boolean, (error, table) => {
      if (!error && (table as { TableStatus: string }).TableStatus === "ACTIVE") tables.set(name, table);
      done(error, table);
    });
  };
}

type Callback<T> = (error: unknown, value?: T) => void;

interface Range {
  gt?: string;
  gte?: string;
  lt?: string;
  lte?: string;
  reverse?: boolean;
  limit?: number;
}

type Change = { type: "put"; key: string; value: unknown } | { type: "del"; key: string };

const OPERATORS = { gt: ">", gte: ">=", lt: "<", lte: "<=" } as const;

/**
 * The database below dynalite's tables, as far as these use it: values by key in a SQLite file. A write is done once the system has it, and so survives a kill -9. Reads and writes take some microseconds: too little for
 * a thread of their own.
 */
export function openItemsFile(folder: string) {
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
      get: (key: string, done: Callback<unknown>) =>
        answer(done, () => {
          const row = get.get(key);
          return row === undefined ? undefined : JSON.parse(String(row.value));
        }),
      put: (key: string, value: unknown, done: Callback<void>) =>
        answer(done, () => change({ type: "put", key, value })),
      del: (key: string, done: Callback<void>) => answer(done, () => change({ type: "del", key })),
      batch: (changes: readonly Change[], done: Callback<void>) => answer(done, () => changes.forEach(change)),
      createKeyStream: (range: Range = {}) => Readable.from(rows(range).map(({ key }) => key)),
      createValueStream: (range: Range = {}) =>
        Readable.from(rows(range).map(({ value }) => JSON.parse(value) as unknown)),
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
