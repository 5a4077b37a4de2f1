import { UsageError } from "../cli/errors.ts";
import { parseDuration } from "../lib/config/units.ts";
import { readFlags } from "./read-flags.ts";

/** The flags of the user; a field is absent when its flag was. */
export interface CommandLine {
  help: boolean;
  baseUrl?: string;
  clientId?: string;
  /** Works, but is no longer told of: a command line is no place for a secret. */
  clientSecret?: string;
  ticks?: number;
  /** Milliseconds. */
  interval?: number;
  data: string;
  /** A file, or "-" for standard output. */
  events?: string;
  startFrom?: string;
  surveys?: number[];
  timeZone?: string;
  config?: string;
  /** Whether the live page is served, and at which port, or the next that is free. */
  console: boolean;
  port: number;
}

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

/** @throws UsageError naming the flag that is wrong */
export function parseCommandLine(args: string[]): CommandLine {
  const flags = readFlags(args, options, HELP);
  const line: CommandLine = {
    help: flags.help === true,
    data: flags.data ?? ".survey-poller",
    console: flags["no-console"] !== true,
    port: read(flags.port, toPort, "--port takes a port from 1 to 65535") ?? PORT,
  };
  const set = <K extends keyof CommandLine>(key: K, value: CommandLine[K] | undefined): void => {
    if (value !== undefined) line[key] = value;
  };
  set("baseUrl", flags["base-url"]);
  set("clientId", flags["client-id"]);
  set("clientSecret", flags["client-secret"]);
  set("ticks", read(flags.ticks, toCount, "--ticks takes a whole number from 1"));
  set("interval", read(flags.interval, parseDuration, "--interval takes a duration such as 500ms, 60s or 5m"));
  set("events", flags.events);
  set("startFrom", flags["start-from"]);
  set("surveys", read(flags.surveys, toIds, "--surveys takes survey ids separated by commas, such as 1,2"));
  set("timeZone", flags["time-zone"]);
  set("config", flags.config);
  return line;
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
