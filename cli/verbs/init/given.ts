import { select, text } from "@clack/prompts";
import { ConfigError, parseConfig } from "../../../lib/config/index.ts";
import { baseUrlProblem } from "../../../lib/survey-api/base-url.ts";
import { CancelledError } from "../../credentials/hidden-prompt.ts";
import { UsageError } from "../../flags.ts";
import type { Io } from "../../io.ts";

/** The configuration in words, as flags or answers give it. */
export interface Wishes {
  baseUrl?: string | undefined;
  name?: string | undefined;
  startFrom?: string | undefined;
  timeZone?: string | undefined;
  surveys?: string | undefined;
  interval?: string | undefined;
}

/** Asks for what no flag has said, where somebody can be asked. */
export async function askFor(wishes: Wishes, io: Io): Promise<Wishes> {
  if (!io.isInteractive) return wishes;
  const on = { input: io.input as NodeJS.ReadStream, output: io.talk as NodeJS.WriteStream };
  const baseUrl =
    wishes.baseUrl ??
    (await answered(
      text({
        ...on,
        message: "Address of the survey service",
        placeholder: "https://surveys.example.com",
        validate: (url) => baseUrlProblem(url ?? ""),
      }),
    ));
  const startFrom = wishes.startFrom ?? (await askForStart(on));
  const surveys =
    wishes.surveys ??
    (await answered(
      text({ ...on, message: "Ids of the surveys, with commas between (none: all of them)", defaultValue: "" }),
    ));
  return { ...wishes, baseUrl, startFrom, ...(surveys === "" ? {} : { surveys }) };
}

async function askForStart(on: { input: NodeJS.ReadStream; output: NodeJS.WriteStream }): Promise<string> {
  const start = await answered(
    select({
      ...on,
      message: "Which responses become events?",
      options: [
        { value: "now", label: "those that complete from now on" },
        { value: "beginning", label: "all that there are, the oldest first" },
        { value: "date", label: "those since a date" },
      ],
    }),
  );
  if (start !== "date") return start;
  return answered(text({ ...on, message: "The date", placeholder: "2026-01-31" }));
}

async function answered(asked: Promise<string | symbol>): Promise<string> {
  const answer = await asked;
  if (typeof answer === "symbol") throw new CancelledError("cancelled", { hint: "Nothing was written." });
  return answer;
}

/**
 * The configuration as it goes into the file: what is a default is left out.
 *
 * @throws UsageError naming every flag that is wrong or missing
 */
export function configOf({ baseUrl, surveys, ...others }: Wishes): Record<string, unknown> {
  if (baseUrl === undefined) {
    const hint = "Give --base-url URL, the address of the survey service; in a terminal it is asked for.";
    throw new UsageError("--base-url is missing", { hint });
  }
  const stated = Object.entries(others).filter(([, value]) => value !== undefined && value !== "");
  const config = {
    baseUrl,
    ...Object.fromEntries(stated),
    ...(surveys === undefined ? {} : { surveys: { include: idsIn(surveys) } }),
  };
  try {
    // As a deployment will read it.
    parseConfig(config, { deployed: true });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const named = error.problems.map(({ path, message }) => `${flagOf(path)} ${message}`);
    throw new UsageError(named.join("; "), { hint: "See survey-poller init --help." });
  }
  return config;
}

function idsIn(surveys: string): (number | string)[] {
  return surveys.split(",").map((id) => (/^\s*\d+\s*$/.test(id) ? Number(id) : id));
}

/** `timeZone` of a source is `--time-zone`. */
function flagOf(path: string): string {
  const [field = ""] = path.replace(/^sources\[0\]\./, "").split(/[.[]/);
  return `--${field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
