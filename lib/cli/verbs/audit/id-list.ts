import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { createInterface } from "node:readline";
import { CsvError, parse } from "csv-parse";
import { errorCode } from "../../../errors.ts";
import { parseJson } from "../../../secrets/secret-values.ts";
import { UsageError } from "../../errors.ts";

/** Names of the column in which ids are looked for, if none is given; written in any way, such as response_id. */
const USUAL = ["responseid", "id"];

/**
 * Reads ids from CSV with a header, NDJSON, or one a line.
 *
 * @param column the column; in NDJSON a field, also within others: detail.data.responseId
 * @throws UsageError that repeats nothing of the file
 */
export async function readIdList(file: string, column: string | undefined) {
  /** How often each id is in it, and its rows, also those without one. */
  const list = { ids: new Map<number, number>(), rows: 0, unreadable: 0 };
  try {
    const firstLine = await readFirstLine(file);
    const values = firstLine.startsWith("{") ? jsonValues(file, column) : csvValues(file, column, firstLine);
    for await (const value of values) {
      list.rows += 1;
      const id = idIn(value);
      if (id === undefined) list.unreadable += 1;
      else list.ids.set(id, (list.ids.get(id) ?? 0) + 1);
    }
  } catch (error) {
    if (error instanceof CsvError) {
      const hint = "A field that begins with a quote has to end with one.";
      throw new UsageError(`${file} is no CSV that can be read`, { hint, cause: error });
    }
    if (!/^(ENOENT|EISDIR|EACCES)$/.test(errorCode(error))) throw error;
    throw new UsageError(`${file} cannot be read`, { hint: "Give a file of response ids.", cause: error });
  }
  if (list.rows > 0 && list.ids.size === 0)
    throw new UsageError(`${file} has rows, and no response id in any of them`, { hint: HINT });
  return list;
}

const HINT = "Give the column by --column NAME: a name in the first line of a CSV, or a field of NDJSON.";

const LONGEST_HEADER = 65_536;

async function readFirstLine(file: string): Promise<string> {
  await using handle = await open(file);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(LONGEST_HEADER), 0, LONGEST_HEADER, 0);
  const text = withoutMark(buffer.toString("utf8", 0, bytesRead)).trimStart();
  return text.split(/\r?\n|\r/, 1)[0] ?? "";
}

const withoutMark = (text: string): string => text.replace(/^\uFEFF/, "");

function delimiterOf(firstLine: string): string {
  const occurs = (delimiter: string): number => firstLine.split(delimiter).length;
  return [",", ";", "\t"].reduce((most, one) => (occurs(one) > occurs(most) ? one : most));
}

async function* csvValues(file: string, column: string | undefined, firstLine: string): AsyncGenerator<unknown> {
  const parser = parse({
    ...{ bom: true, trim: true, skip_empty_lines: true, relax_column_count: true, relax_quotes: true },
    delimiter: delimiterOf(firstLine),
  });
  const stream = createReadStream(file).on("error", (error) => parser.destroy(error));
  let at: number | undefined;
  for await (const cells of stream.pipe(parser) as AsyncIterable<string[]>) {
    if (at !== undefined) yield cells[at];
    else if (column === undefined && cells.length === 1 && idIn(cells[0]) !== undefined) {
      at = 0;
      yield cells[0];
    } else at = columnIn(cells, column);
  }
}

function columnIn(header: readonly string[], column: string | undefined): number {
  if (column === undefined && header.length === 1) return 0;
  const found = namedIn(header, column);
  if (found !== undefined) return header.indexOf(found);
  const message = column === undefined ? "it is not said which column has the ids" : "there is no such column";
  throw new UsageError(message, { hint: HINT });
}

function namedIn(names: readonly string[], column: string | undefined): string | undefined {
  const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  if (column !== undefined && names.includes(column)) return column;
  const wanted = column === undefined ? USUAL : [plain(column)];
  return wanted.map((name) => names.find((one) => plain(one) === name)).find((name) => name !== undefined);
}

async function* jsonValues(file: string, column: string | undefined): AsyncGenerator<unknown> {
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });
  for await (const line of lines) {
    const text = withoutMark(line).trim();
    if (text !== "") yield fieldIn(parseJson(text), column);
  }
}

function fieldIn(value: unknown, column: string | undefined): unknown {
  const steps = column === undefined ? [undefined] : column.split(".");
  let at = value;
  for (const step of steps) {
    if (typeof at !== "object" || at === null) return undefined;
    const name = namedIn(Object.keys(at), step);
    at = name === undefined ? undefined : (at as Record<string, unknown>)[name];
  }
  return at;
}

/** A number, also as text, and as tables write it that know no whole numbers: 123.0. */
function idIn(value: unknown): number | undefined {
  const text = typeof value === "number" ? String(value) : typeof value === "string" ? value.trim() : "";
  const id = Number(text);
  return /^\d+(\.0+)?$/.test(text) && Number.isSafeInteger(id) ? id : undefined;
}
