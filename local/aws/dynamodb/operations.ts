import { createRequire } from "node:module";
import { AwsError, type Operation } from "../aws-json.ts";
import type { Database } from "./items-file.ts";

const require = createRequire(import.meta.url);

const NAMES = [
  "BatchGetItem",
  "BatchWriteItem",
  "CreateTable",
  "DeleteItem",
  "DeleteTable",
  "DescribeTable",
  "DescribeTimeToLive",
  "GetItem",
  "ListTables",
  "PutItem",
  "Query",
  "Scan",
  "UpdateItem",
  "UpdateTable",
];

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
export function dynamodbOperations(database: Database): Record<string, Operation> {
  const { create } = require("dynalite/db") as { create(options: object): Store };
  const { checkTypes, checkValidations } = require("dynalite/validations") as Validations;
  const store = create({ createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 });
  Object.assign(store.db, database);
  const tables = new Map<string, unknown>();
  store.getTable = knowing(tables, store.getTable);

  function operation(name: string): Operation {
    const file = name.charAt(0).toLowerCase() + name.slice(1);
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
        if (name.endsWith("Table")) tables.clear();
      }
    };
  }
  return Object.fromEntries(NAMES.map((name) => [name, operation(name)]));
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
