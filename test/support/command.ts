import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { onTestFinished } from "vitest";
import type { ResponseCompleted } from "../../lib/events/index.ts";
import type { EventEnvelope } from "../../lib/local/aws/index.ts";

/** An event as the bus delivered it. `detail` is only claimed to follow the contract: a test has to parse it. */
export type DeliveredEvent = Omit<EventEnvelope, "detail"> & { detail: ResponseCompleted };

export interface CommandResult {
  /** Null when a signal ended it. */
  code: number | null;
  stdout: string;
  stderr: string;
  /**
   * Every event with contents in the file of `--events` (earlier runs' too), or on standard output for `-`. None after a signal ended
   * it: the last line may be torn then, which the next start mends.
   */
  events: DeliveredEvent[];
}

export interface RunningCommand {
  /** What it has written so far, standard output first. */
  output(): { stdout: string; stderr: string };
  /** Resolves as soon as either output matches; rejects when the command ends without. */
  printed(pattern: RegExp): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  readonly done: Promise<CommandResult>;
}

export interface CommandOptions {
  /** Added to an environment that holds nothing of the caller's but PATH and HOME. */
  env?: Record<string, string>;
  /** Milliseconds after which it is killed and `done` rejects; default 60,000. */
  limit?: number;
  /** Whether it is awaited, also outside of a test: then its limit alone ends it. */
  isAwaited?: boolean;
}

const ROOT = resolve(import.meta.dirname, "../..");
const COMMAND = join(ROOT, "lib", "local", "start.ts");

/**
 * Starts `lib/local/start.ts` with these flags in a process of its own, killed at the latest when the test ends.
 *
 * @example
 * const command = startCommand(["--base-url", simulator.url, "--data", folder]);
 * await command.printed(/polling/);
 * command.kill("SIGKILL");
 * await command.done;
 */
export function startCommand(args: readonly string[], options: CommandOptions = {}): RunningCommand {
  const child = spawn(process.execPath, [COMMAND, ...args], {
    cwd: ROOT,
    // The caller's own AWS set-up, proxies and credentials must not decide what a test sees.
    env: {
      PATH: process.env.PATH ?? "",
      HOME: process.env.HOME ?? "",
      // Most of what a short run takes is compiling the same code again.
      NODE_COMPILE_CACHE: join(tmpdir(), "survey-poller-compile-cache"),
      SURVEY_POLLER_FUNCTIONS: process.env.BUNDLED_ONCE,
      ...options.env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (options.isAwaited !== true) onTestFinished(() => void child.kill("SIGKILL"));
  const text = { stdout: "", stderr: "" };
  const waiting = new Set<{ pattern: RegExp; resolve: () => void; reject: (error: Error) => void }>();
  const collect = (name: "stdout" | "stderr") => (chunk: string) => {
    text[name] += chunk;
    for (const one of waiting) {
      if (!one.pattern.test(text.stdout) && !one.pattern.test(text.stderr)) continue;
      waiting.delete(one);
      one.resolve();
    }
  };
  child.stdout.setEncoding("utf8").on("data", collect("stdout"));
  child.stderr.setEncoding("utf8").on("data", collect("stderr"));

  const { limit = 60_000 } = options;
  const done = ended(child, limit).then(({ code, isLate }): CommandResult => {
    for (const one of waiting) one.reject(new Error(`ended (${code}) without ${one.pattern}: ${text.stderr}`));
    if (isLate) throw new Error(`did not end in ${limit} ms\n${text.stdout}\n${text.stderr}`);
    return { code, ...text, events: code === null ? [] : eventsOf(args, text.stdout) };
  });
  return {
    output: () => ({ ...text }),
    printed: (pattern) =>
      new Promise<void>((resolve, reject) => {
        if (pattern.test(text.stdout) || pattern.test(text.stderr)) resolve();
        else waiting.add({ pattern, resolve, reject });
      }),
    kill: (signal) => void child.kill(signal),
    done,
  };
}

/** Runs the command to its end. */
export async function runCommand(args: readonly string[], options?: CommandOptions): Promise<CommandResult> {
  return startCommand(args, options).done;
}

/** The events with contents in a file, each line of which is an event. Throws for a torn or unreadable line. */
export function readEvents(file: string): DeliveredEvent[] {
  return readTold(file).filter(hasContents);
}

/** All events in a file. */
export function readTold(file: string): EventEnvelope[] {
  return statSync(file, { throwIfNoEntry: false })?.isFile() ? eventLines(readFileSync(file, "utf8")) : [];
}

/** A folder that is removed when the test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "survey-poller-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function eventsOf(args: readonly string[], stdout: string): DeliveredEvent[] {
  const at = args.indexOf("--events");
  const target = at < 0 ? undefined : args[at + 1];
  if (target === undefined) return [];
  return target === "-" ? eventLines(stdout).filter(hasContents) : readEvents(resolve(ROOT, target));
}

/** Whether it is the event of a completed response, or an update of it. */
function hasContents(event: EventEnvelope): event is DeliveredEvent {
  return event["detail-type"] === "response.completed" || event["detail-type"] === "response.updated";
}

function eventLines(text: string): EventEnvelope[] {
  if (text !== "" && !text.endsWith("\n")) throw new Error(`the last line is torn: ${text.slice(-80)}`);
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as EventEnvelope);
}

async function ended(child: ChildProcess, limit: number): Promise<{ code: number | null; isLate: boolean }> {
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    child.kill("SIGKILL");
  }, limit);
  // "close" and not "exit": by then everything it wrote has been read.
  const [code] = (await once(child, "close")) as [number | null];
  clearTimeout(timer);
  return { code, isLate };
}
