import { styleText } from "node:util";
import type { PollerError } from "../errors.ts";
import { nameOf } from "./called-as.ts";

export type Style = Parameters<typeof styleText>[0];

/** The world outside, as a verb knows it: standard streams, environment, clock and Ctrl-C. Data goes to `out`, talk to `say`. */
export interface Io {
  environment: Readonly<Record<string, string | undefined>>;
  input: NodeJS.ReadableStream & { isTTY?: boolean };
  /** Where questions and progress are shown. */
  talk: NodeJS.WritableStream & { isTTY?: boolean };
  /** A line of data on standard output. */
  out(line: string): void;
  /** A line of talk on standard error. */
  say(line: string): void;
  /** Colours for standard output: none in a pipe, or where NO_COLOR says so. */
  style(style: Style, text: string): string;
  /** Columns of the terminal that standard output is; without end where it is none. */
  width: number;
  /** Whether somebody can be asked: both the input and the talk are a terminal. */
  isInteractive: boolean;
  /** Aborted by Ctrl-C, or when the reader of standard output has gone. */
  signal: AbortSignal;
  /** Ends the command with this error, whatever it waits for: something has broken of which no promise tells. */
  fail(error: PollerError): void;
  /** How the command is called here, such as "npx survey-poller". */
  command: string;
  now(): number;
}

/** Nobody gets what is said any more: standard output has failed, which is told once. */
let isDeaf = false;

/**
 * Aborts at Ctrl-C, when the terminal is closed, and when the reader of standard output has gone. A second Ctrl-C ends the process at once.
 */
export function processStop(): AbortController {
  const stop = new AbortController();
  let first = 0;
  const interrupted = (): void => {
    first ||= performance.now();
    // One Ctrl-C under npm arrives twice, from the terminal and from npm.
    if (performance.now() - first > 1_000) process.exit(130);
    stop.abort();
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, interrupted);
  process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
    if (isDeaf) return;
    isDeaf = true;
    // The reader of a pipe has seen enough, as `head` does: that is no failure, nor news.
    const isPipe = code === "EPIPE";
    const exit = isPipe ? (process.exitCode ?? 0) : 1;
    if (!isPipe)
      process.stderr.write(`Standard output could not be written (${code}). Make room for it, and run it again.\n`);
    process.once("exit", () => {
      process.exitCode = exit;
    });
    // There may be something to put in order first.
    stop.abort();
  });
  return stop;
}

export function processIo(): Io {
  const stop = processStop();
  return {
    environment: process.env,
    input: process.stdin,
    talk: process.stderr,
    out: (line) => void process.stdout.write(`${line}\n`),
    say: (line) => void (isDeaf || process.stderr.write(`${line}\n`)),
    style: (style, text) => styleText(style, text, { stream: process.stdout }),
    width: process.stdout.columns ?? Number.POSITIVE_INFINITY,
    isInteractive: process.stdin.isTTY === true && process.stderr.isTTY === true,
    signal: stop.signal,
    fail: (error) => stop.abort(error),
    command: nameOf(process.argv[1]),
    now: Date.now,
  };
}

/** Milliseconds between two lines without a terminal, and between two redraws in one. */
const PLAIN_EVERY = 5_000;
const REDRAW_EVERY = 100;
const WIDTH = 24;

export type ProgressLine = Pick<ReturnType<typeof showProgress>, "update" | "end">;

/** A bar in a terminal, a line every five seconds without one. */
export function showProgress({ talk, now }: Pick<Io, "talk" | "now">) {
  const isTerminal = talk.isTTY === true;
  // Work that is over at once says nothing.
  let shownAt = isTerminal ? Number.NEGATIVE_INFINITY : now();
  return {
    /** @param part from 0 to 1, where the whole is known */
    update(text: string, part?: number): void {
      if (now() - shownAt < (isTerminal ? REDRAW_EVERY : PLAIN_EVERY)) return;
      shownAt = now();
      const percent = part === undefined ? "" : `${Math.floor(Math.min(1, part) * 100)} % `;
      talk.write(isTerminal ? `\r\x1b[2K${bar(part)}${percent}${text}` : `${percent}${text}\n`);
    },
    end(): void {
      if (isTerminal && shownAt > 0) talk.write("\r\x1b[2K");
    },
    [Symbol.dispose](): void {
      this.end();
    },
  };
}

function bar(part: number | undefined): string {
  if (part === undefined) return "";
  const full = Math.round(Math.min(1, part) * WIDTH);
  return `[${"#".repeat(full)}${"-".repeat(WIDTH - full)}] `;
}
