import { styleText } from "node:util";

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
  /** Epoch milliseconds. */
  now(): number;
}

/** Streams, environment and signals of the process. A second Ctrl-C ends it at once. */
export function processIo(): Io {
  const stop = new AbortController();
  let first = 0;
  const interrupted = (): void => {
    first ||= Date.now();
    // One Ctrl-C under npm arrives twice, from the terminal and from npm.
    if (Date.now() - first > 1_000) process.exit(130);
    stop.abort();
  };
  process.on("SIGINT", interrupted);
  process.on("SIGTERM", interrupted);
  // The terminal is closed.
  process.on("SIGHUP", interrupted);
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") process.exit(1);
    // The reader of a pipe has seen enough, as `head` does. That is no failure, and the verb may have something to put in order first.
    process.once("exit", () => {
      process.exitCode = 0;
    });
    stop.abort();
  });
  return {
    environment: process.env,
    input: process.stdin,
    talk: process.stderr,
    out: (line) => void process.stdout.write(`${line}\n`),
    say: (line) => void process.stderr.write(`${line}\n`),
    style: (style, text) => styleText(style, text, { stream: process.stdout }),
    width: process.stdout.columns ?? Number.POSITIVE_INFINITY,
    isInteractive: process.stdin.isTTY === true && process.stderr.isTTY === true,
    signal: stop.signal,
    now: Date.now,
  };
}
