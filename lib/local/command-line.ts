import { parseArgs } from "node:util";
import { UsageError } from "../cli/errors.ts";
import { parseDuration } from "../config/units.ts";
import { nearestName } from "../config/unknown-field.ts";

const options = {
  "base-url": { type: "string" },
  "client-id": { type: "string" },
  "client-secret": { type: "string" },
  ticks: { type: "string" },
  interval: { type: "string" },
  data: { type: "string" },
  events: { type: "string" },
  "start-from": { type: "string" },
  surveys: { type: "string" },
  "time-zone": { type: "string" },
  "no-console": { type: "boolean" },
  port: { type: "string" },
  config: { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

const PORT = 4747;
const HELP = "npm start -- --help";

export const usage = `Usage: npm start -- [flags]

  (no flags)             demo: a simulated survey service, polled on this machine
  --base-url URL         poll this survey service instead
                         with the credentials SURVEY_CLIENT_ID and SURVEY_CLIENT_SECRET of the environment
  --client-id C          in place of SURVEY_CLIENT_ID
  --ticks N              stop after N ticks, once what is unfinished is done
  --interval 60s         time between ticks; 0s: one after the other
  --data DIR             where the state is kept (default .survey-poller)
  --events FILE|-        append each event as one JSON line; - is standard output
  --start-from WHEN      now (default), beginning or YYYY-MM-DD
  --surveys 1,2          only these surveys
  --time-zone ZONE       IANA zone of the service's dates, such as Europe/Warsaw
  --config FILE          a configuration file; flags win over it
  --no-console           no live page
  --port N               where the live page is served (default 4747), or the next port that is free
  --help                 this text
`;

/** The flags of the user; undefined where one was not given. */
export type CommandLine = ReturnType<typeof parseCommandLine>;

/** @throws UsageError naming the flag that is wrong, and never the value of a known one */
export function parseCommandLine(args: string[]) {
  const flags = readFlags(args);
  return {
    help: flags.help === true,
    baseUrl: flags["base-url"],
    clientId: flags["client-id"],
    /** Works, but is no longer told of: a command line is no place for a secret. */
    clientSecret: flags["client-secret"],
    ticks: read(flags.ticks, toCount, "--ticks takes a whole number from 1"),
    /** Milliseconds. */
    interval: read(flags.interval, parseDuration, "--interval takes a duration such as 500ms, 60s or 5m"),
    data: flags.data ?? ".survey-poller",
    events: flags.events,
    startFrom: flags["start-from"],
    surveys: read(flags.surveys, toIds, "--surveys takes survey ids separated by commas, such as 1,2"),
    timeZone: flags["time-zone"],
    config: flags.config,
    console: flags["no-console"] !== true,
    port: read(flags.port, toPort, "--port takes a port from 1 to 65535") ?? PORT,
  };
}

type Options = typeof options;
type Flags = { [Name in keyof Options]?: Options[Name]["type"] extends "string" ? string : boolean };

/** Each flag at most once, and nothing else. */
function readFlags(args: string[]): Flags {
  // Not strict: its messages would come one at a time and without a suggestion.
  const { values, tokens } = parseArgs({ args, options, strict: false, allowPositionals: true, tokens: true });
  const seen = new Set<string>();
  for (const token of tokens) {
    if (token.kind === "positional") throw wrong(`unexpected argument "${token.value}"`);
    if (token.kind !== "option") continue;
    if (seen.has(token.name)) throw wrong(`--${token.name} is given twice`);
    seen.add(token.name);
    if (!Object.hasOwn(options, token.name)) {
      const nearest = nearestName(token.name, Object.keys(options));
      throw wrong(`unknown flag ${token.rawName}${nearest === undefined ? "" : `, did you mean --${nearest}?`}`);
    }
    const takesValue = options[token.name as keyof Options].type === "string";
    if (takesValue && !token.value) throw wrong(`--${token.name} needs a value`);
    if (!takesValue && token.value !== undefined) throw wrong(`--${token.name} takes no value`);
  }
  return values as Flags;
}

function read<T>(text: string | undefined, parser: (text: string) => T | undefined, message: string): T | undefined {
  const value = text === undefined ? undefined : parser(text);
  if (text !== undefined && value === undefined) throw wrong(message);
  return value;
}

function toCount(text: string): number | undefined {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}

function toPort(text: string): number | undefined {
  const port = toCount(text);
  return port !== undefined && port <= 65_535 ? port : undefined;
}

function toIds(text: string): number[] | undefined {
  const parts = text.split(",").map((part) => part.trim());
  return parts.every((part) => /^\d{1,15}$/.test(part)) ? parts.map(Number) : undefined;
}

function wrong(message: string): UsageError {
  return new UsageError(message, { hint: `${HELP} lists the flags.` });
}
