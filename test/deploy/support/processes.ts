import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

export interface RunOptions {
  cwd: string;
  env: Record<string, string>;
  /** Milliseconds after which it is killed, with all it has started, and the promise rejects. */
  limit: number;
  /** What it reads from its standard input; by default that is empty. */
  input?: string;
}

export interface RunResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Of the groups of processes that are running. */
const running = new Set<number>();

/** Runs a command to its end, in a process group of its own. Does not throw for an exit code. */
export async function run(command: string, args: readonly string[], options: RunOptions): Promise<RunResult> {
  const { limit, input = "", ...where } = options;
  const child = startGroup(command, args, where);
  // A command that reads nothing closes its end at once.
  child.stdin.on("error", () => {}).end(input);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    killGroup(child.pid, "SIGKILL");
  }, limit);
  const all = Promise.all([once(child, "close"), text(child.stdout), text(child.stderr)]);
  const [[code], stdout, stderr] = await all.finally(() => clearTimeout(timer));
  if (isLate) throw new Error(`${command} did not end within ${limit / 1000} s\n${stdout}\n${stderr}`);
  return { code: code as number | null, stdout, stderr };
}

/** As `run`, but an exit code other than 0 is an error that quotes what was printed. */
export async function succeed(command: string, args: readonly string[], options: RunOptions): Promise<RunResult> {
  const result = await run(command, args, options);
  if (result.code === 0) return result;
  throw new Error(`${command} ${args.join(" ")} ended with ${result.code}\n${result.stdout}\n${result.stderr}`);
}

/**
 * Runs a script, as `succeed`. Node's pipes are sockets, which bash takes for a login from elsewhere: without `--norc` it would read the
 * user's own `.bashrc`, and find other programs than the given environment names.
 */
export function shell(script: string, options: RunOptions): Promise<RunResult> {
  return succeed("bash", bashArguments(script), options);
}

export function bashArguments(script: string): string[] {
  return ["--norc", "-eo", "pipefail", "-c", script];
}

/** Starts a process that leads a group: what it starts itself can be ended with it. */
export function startGroup(
  command: string,
  args: readonly string[],
  { cwd, env }: Pick<RunOptions, "cwd" | "env">,
): ChildProcessWithoutNullStreams {
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ["pipe", "pipe", "pipe"] });
  const { pid } = child;
  if (pid !== undefined) {
    running.add(pid);
    // Those that it started may still run: the group is no longer ours to name once all of them are gone.
    child.once("close", () => running.delete(pid));
  }
  return child;
}

export function killGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // All of them have ended already.
  }
}

/** Ends everything that was started here and still runs. */
export function endAll(signal: NodeJS.Signals): void {
  for (const pid of running) killGroup(pid, signal);
}
