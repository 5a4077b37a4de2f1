import { Command, type CommandUnknownOpts, InvalidArgumentError, Option } from "@commander-js/extra-typings";
import type { LedgerEntry } from "../polling/index.ts";
import type { EXIT, ExitCode } from "./errors.ts";
import { UsageError } from "./errors.ts";
import type { Io } from "./io.ts";
import { type Flags, loadDataTarget } from "./target/open-target.ts";
import { printableJson } from "./words.ts";

/** The version of what `--json` prints, the same for all verbs: a field may be added, none goes or changes within one. */
const SCHEMA_VERSION = 1;

export function toJson(data: object): string {
  return printableJson(JSON.stringify({ schemaVersion: SCHEMA_VERSION, ...data }));
}

/** The answer of a verb. `data` is what `--json` prints, beside `schemaVersion`; `text` says the same for people. */
export interface Answer<Data extends object = object> {
  data: Data;
  text: readonly string[];
  exit?: Exclude<ExitCode, typeof EXIT.usage | typeof EXIT.interrupted>;
  /** Nothing was changed, and --yes changes it. */
  isDry?: boolean;
}

/** Runs the work of a verb and prints its answer. Undefined where the work has printed its own lines. */
export type Act = (options: Pick<Flags, "json">, work: (io: Io) => Promise<Answer | undefined>) => Promise<void>;

/** Makes the command of a verb, whose action calls `act`. */
export type Verb = (act: Act) => CommandUnknownOpts;

/** @param help stands below the options. Of its examples those on a data folder are there where one can be opened. */
export function verb(name: string, summary: string, help: string) {
  const lines = help
    .split("\n")
    .filter((line) => loadDataTarget !== undefined || !/^ {2}survey-poller .*--data/.test(line));
  return new Command(name)
    .summary(summary)
    .description(summary)
    .addOption(new Option("--json", "print one JSON document, or one a line, with schemaVersion"))
    .addHelpText("after", lines.join("\n"));
}

export function targetVerb(name: string, summary: string, help: string) {
  const data = new Option("--data <dir>", "a local data folder, also beside a running npm start");
  return verb(name, summary, help)
    .addOption(new Option("--stack <name>", "a deployed stack, by its outputs").conflicts("data"))
    .addOption(data.hideHelp(loadDataTarget === undefined));
}

/** The option of a verb that changes something: without it the verb says what it would do. */
export const yesOption = () => new Option("--yes", "do it; without this it is a dry run");

// What is typed as an argument or as the value of a flag, read.

export function surveyId(text: string): number {
  return idOf(text) ?? refuse("it must be a survey id, a whole number above 0");
}

export function surveyIds(text: string, before: number[] = []): number[] {
  return [...before, surveyId(text)];
}

/** A responseId; or a record of nobody knows which response, by the id that `quarantine list` shows. */
export function responseId(text: string): LedgerEntry["id"] {
  if (/^record-[\w-]+$/.test(text)) return text as LedgerEntry["id"];
  return idOf(text) ?? refuse("it must be a responseId, a whole number above 0");
}

export function port(text: string): number {
  const number = idOf(text);
  return number !== undefined && number <= 65_535 ? number : refuse("it must be a port, from 1 to 65535");
}

function idOf(text: string): number | undefined {
  const number = Number(text);
  return /^\d+$/.test(text) && Number.isSafeInteger(number) && number > 0 ? number : undefined;
}

function refuse(message: string): never {
  throw new InvalidArgumentError(message);
}

const FORM = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/;

/**
 * Epoch milliseconds of a point in time as a flag gives it. It is an ISO 8601 time with its zone, or a day, which begins at midnight UTC.
 *
 * @example momentOf("--from", "2026-11-21T08:00:00Z")
 */
export function momentOf(flag: string, text: string): number {
  const at = FORM.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(at)) return at;
  const hint = `Give it as ${flag} 2026-11-21T08:00:00Z, or as a day (UTC): ${flag} 2026-11-21.`;
  throw new UsageError(`${flag} is no point in time`, { hint });
}
