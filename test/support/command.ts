import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { onTestFinished } from "vitest";
import type { ResponseCompleted } from "../../lib/events/index.ts";
import type { EventEnvelope } from "../../lib/local/aws/index.ts";

/** An event as the bus delivered it. `detail` is only claimed to follow the contract: a test has to parse it. */
export type DeliveredEvent = Omit<EventEnvelope, "detail"> & { detail: ResponseCompleted };

export interface CommandResult {
  /** Null when a signal ended it. */
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  /**
   * Every event with contents in the file of `--events` (earlier runs' too), or on standard output for `-`. None after a signal ended
   * it: the last line may be torn then, which the next start mends.
   */
  events: DeliveredEvent[];
  /** Milliseconds from start to exit. */
  ms: number;
}

export interface RunningCommand {
  readonly pid: number;
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
  /** Default: the root of the project. */
  cwd?: string;
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
  const started = performance.now();
  const child = spawn(process.execPath, [COMMAND, ...args], {
    cwd: options.cwd ?? ROOT,
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

  const done = ended(child, options.limit ?? 60_000).then(({ code, signal, late }): CommandResult => {
    const ms = performance.now() - started;
    for (const one of waiting)
      one.reject(new Error(`ended (${code ?? signal}) without ${one.pattern}: ${text.stderr}`));
    if (late) throw new Error(`did not end in ${options.limit ?? 60_000} ms\n${text.stdout}\n${text.stderr}`);
    const events = signal === null ? eventsOf(args, text.stdout, options.cwd ?? ROOT) : [];
    return { code, signal, ...text, events, ms };
  });
  return {
    pid: child.pid ?? 0,
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

function eventsOf(args: readonly string[], stdout: string, cwd: string): DeliveredEvent[] {
  const at = args.indexOf("--events");
  const target = at < 0 ? undefined : args[at + 1];
  if (target === undefined) return [];
  return target === "-" ? eventLines(stdout).filter(hasContents) : readEvents(resolve(cwd, target));
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

function ended(
  child: ChildProcess,
  limit: number,
): Promise<{ code: number | null; signal: NodeJS.Signals | null; late: boolean }> {
  return new Promise((resolve, reject) => {
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      child.kill("SIGKILL");
    }, limit);
    child.once("error", reject);
    // "close" and not "exit": by then everything it wrote has been read.
    child.once("close", (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, late });
    });
  });
}
