import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Option } from "@commander-js/extra-typings";
import { errorCode } from "../../../lib/errors.ts";
import { readContract } from "../../contract/folder.ts";
import { CommandError } from "../../errors.ts";
import { UsageError } from "../../flags.ts";
import { type Answer, examples, type Verb, verb } from "../../verb.ts";
import { columns, count } from "../../words.ts";
import type { ContractAnswer, ContractList } from "./answer.ts";
import { aboutOf, chosenFiles, filesOf, formats, type Listed } from "./formats.ts";

export const contractVerb: Verb = (act) =>
  verb("contract", "prints the contract of the events in a format that other tools read; needs no poller")
    .addOption(new Option("--format <format>", "what to print").choices(formats))
    .option("--type <type>", "of this event type; of a sample also its name")
    .option("--out <file>", "write it there; for java a folder")
    .option("--list", "list what there is")
    .addHelpText(
      "after",
      examples(
        "contract --list",
        "contract --format schema --type response.completed",
        "contract --format sample --type detractor",
        "contract --format java --out src/main/java",
      ),
    )
    .action((options) =>
      act(options, async (io) => {
        if (options.list === true) return listed(formats.flatMap(filesOf));
        if (options.format === undefined) {
          throw new UsageError("--format is missing", {
            hint: `Give one of ${formats.join(", ")}; --list tells more.`,
          });
        }
        const files = chosenFiles(options.format, options.type);
        if (options.out !== undefined) {
          const answer = writeAll(files, options.out);
          io.say(`Written: ${count(files.length, "file")} to ${options.out}.`);
          return answer;
        }
        if (files.length > 1 && options.json !== true) {
          throw new UsageError(`--format ${options.format} is ${files.length} files`, {
            hint: "Give --out with a folder for them, or --json for one document.",
          });
        }
        return printed(files);
      }),
    );

function listed(files: Listed[]): Answer<ContractList> {
  const java = files.filter(({ format }) => format === "java");
  const rows = files
    .filter((file) => file.format !== "java" || file === java[0])
    .map((file) => [
      file.format,
      file.type ?? "all types",
      file.format === "java" ? `java/ (${count(java.length, "file")})` : file.path,
      aboutOf(file.format),
    ]);
  return { data: { files }, text: columns([["format", "type", "file in contract/", "what it is"], ...rows]) };
}

function printed(files: Listed[]): Answer<ContractAnswer> {
  const read = files.map((file) => ({ ...file, text: readContract(file.path), out: null }));
  return { data: { files: read }, text: read.flatMap(({ text }) => text.replace(/\n$/, "").split("\n")) };
}

/** One file to `out`, several below it. */
function writeAll(files: Listed[], out: string): Answer<ContractAnswer> {
  const written = files.map((file) => {
    const path = files.length === 1 ? out : join(out, file.path.slice(file.path.indexOf("/") + 1));
    try {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, readContract(file.path));
    } catch (cause) {
      const message = `${path} could not be written (${errorCode(cause)})`;
      throw new CommandError("NOT_WRITTEN", message, { hint: "Give --out another place.", cause });
    }
    return { ...file, text: null, out: path };
  });
  return { data: { files: written }, text: [] };
}
