import { Command, type CommandUnknownOpts, Option } from "@commander-js/extra-typings";
import type { EXIT, ExitCode } from "./exit-codes.ts";
import type { Io } from "./io.ts";
import { printableJson } from "./printable.ts";
import { loadDataTarget } from "./target/data-folders.ts";

/** The version of what `--json` prints, the same for all verbs: a field may be added, none goes or changes within one. */
export const SCHEMA_VERSION = 1;

/** One document of `--json`, in one line. */
export function toJson(data: object): string {
  return printableJson(JSON.stringify({ schemaVersion: SCHEMA_VERSION, ...data }));
}

/** The answer of a verb. `data` is what `--json` prints, beside `schemaVersion`; `text` says the same for people. */
export interface Answer<Data extends object = object> {
  data: Data;
  /** Lines. */
  text: readonly string[];
  /** Default 0. */
  exit?: Exclude<ExitCode, typeof EXIT.usage | typeof EXIT.interrupted>;
}

/** Options of every verb. */
export interface CommonOptions {
  json?: true | undefined;
}

/** Runs the work of a verb and prints its answer. Undefined where the work has printed its own lines. */
export type Act = (options: CommonOptions, work: (io: Io) => Promise<Answer | undefined>) => Promise<void>;

/** Makes the command of a verb, whose action calls `act`. */
export type Verb = (act: Act) => CommandUnknownOpts;

/** A verb with `--json` alone. */
export function verb(name: string, summary: string) {
  return new Command(name)
    .summary(summary)
    .description(summary)
    .addOption(new Option("--json", "print one JSON document, or one a line, with schemaVersion"));
}

/** A verb that works on a deployed stack or on a local data folder. */
export function targetVerb(name: string, summary: string) {
  return verb(name, summary)
    .addOption(new Option("--stack <name>", "a deployed stack, by its outputs").conflicts("data"))
    .addOption(
      new Option("--data <dir>", "a local data folder, also beside a running npm start").hideHelp(
        loadDataTarget === undefined,
      ),
    );
}

/** The option of a verb that changes something: without it the verb says what it would do. */
export const yesOption = () => new Option("--yes", "do it; without this it is a dry run");

/** The end of a verb's help: examples. */
export function examples(...lines: readonly string[]): string {
  const possible = lines.filter((line) => loadDataTarget !== undefined || !line.includes("--data"));
  return `\nExamples:\n${possible.map((line) => `  survey-poller ${line}`).join("\n")}`;
}

/** Said on standard error after a dry run. */
export const DRY_RUN = "Dry run: nothing was changed. Add --yes to do it.";
