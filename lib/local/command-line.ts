import { parseArgs } from "node:util";
import { UsageError } from "../cli/errors.ts";
import { parseDuration } from "../config/units.ts";
import { nearestName } from "../config/unknown-field.ts";

const VALUES = [
  ...["base-url", "client-id", "client-secret", "ticks", "interval", "data", "events"],
  ...["start-from", "surveys", "time-zone", "port", "config"],
] as const;
const SWITCHES = { "no-console": { type: "boolean" }, help: { type: "boolean", short: "h" } } as const;
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
  const { values, isOn } = readFlags(args);
  return {
    help: isOn("help"),
    baseUrl: values["base-url"],
    clientId: values["client-id"],
    /** Works, but is no longer told of: a command line is no place for a secret. */
    clientSecret: values["client-secret"],
    ticks: read(values.ticks, toCount, "--ticks takes a whole number from 1"),
    /** Milliseconds. */
    interval: read(values.interval, parseDuration, "--interval takes a duration such as 500ms, 60s or 5m"),
    data: values.data ?? ".survey-poller",
    events: values.events,
    startFrom: values["start-from"],
    surveys: read(values.surveys, toIds, "--surveys takes survey ids separated by commas, such as 1,2"),
    timeZone: values["time-zone"],
    config: values.config,
    console: !isOn("no-console"),
    port: read(values.port, toPort, "--port takes a port from 1 to 65535") ?? PORT,
  };
}

/** Each flag at most once, and nothing else. */
function readFlags(args: string[]) {
  const known: Record<string, { type: "string" | "boolean"; short?: string }> = {
    ...Object.fromEntries(VALUES.map((name) => [name, { type: "string" }])),
    ...SWITCHES,
  };
  // Not strict: its messages would come one at a time and without a suggestion.
  const { tokens } = parseArgs({ args, options: known, strict: false, allowPositionals: true, tokens: true });
  const found = new Map<string, string | undefined>();
  for (const token of tokens) {
    if (token.kind === "positional") throw wrong(`unexpected argument "${token.value}"`);
    if (token.kind !== "option") continue;
    const { name, rawName, value } = token;
    if (found.has(name)) throw wrong(`--${name} is given twice`);
    found.set(name, value);
    if (!Object.hasOwn(known, name)) {
      const nearest = nearestName(name, Object.keys(known));
      throw wrong(`unknown flag ${rawName}${nearest === undefined ? "" : `, did you mean --${nearest}?`}`);
    }
    const takesValue = known[name]?.type === "string";
    if (takesValue && !value) throw wrong(`--${name} needs a value`);
    if (!takesValue && value !== undefined) throw wrong(`--${name} takes no value`);
  }
  const values: { [name in (typeof VALUES)[number]]?: string | undefined } = Object.fromEntries(found);
  return { values, isOn: (name: keyof typeof SWITCHES): boolean => found.has(name) };
}

function read<T>(text: string | undefined, parser: (text: string) => T | undefined, message: string): T | undefined {
  if (text === undefined) return undefined;
  const value = parser(text);
  if (value === undefined) throw wrong(message);
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
