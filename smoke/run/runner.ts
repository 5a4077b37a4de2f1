import { performance } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { type Check, CheckFailedError, type Need, NotShownError, type Running } from "./check.ts";

export interface RunOptions<Context> {
  /** In the order in which they are listed. Those that need nothing of one another run side by side. */
  checks: readonly Check<Context>[];
  context: Context;
  /** Why a need cannot be met here; undefined where it can. */
  lacks(need: Need): string | undefined;
  /** The run is interrupted when it aborts. */
  signal: AbortSignal;
  /** Milliseconds between two looks at what is awaited. */
  every: number;
  print(line: string): void;
}

export interface Totals {
  passed: number;
  failed: number;
  skipped: number;
}

/** `ms`: how long it was made. */
type Verdict =
  | { kind: "ok"; shown: string; ms: number }
  | { kind: "failed"; why: string; ms: number }
  | { kind: "skipped"; why: string };

/** Runs every check once those it builds on are over. Prints a line for each as it ends. Never throws for a check. */
export async function runChecks<Context>(options: RunOptions<Context>): Promise<Totals> {
  const { checks, print } = options;
  const totals: Totals = { passed: 0, failed: 0, skipped: 0 };
  const verdicts = new Map<string, Promise<Verdict>>();
  for (const check of checks) {
    // What comes later in the list is not known here: so no two can wait for each other.
    const verdictOf = (name: string): Promise<Verdict> | undefined => verdicts.get(name);
    const judged = judge(check, verdictOf, options).then((verdict) => {
      if (verdict.kind === "ok") totals.passed += 1;
      else totals[verdict.kind] += 1;
      print(lineOf(check.name, verdict));
      return verdict;
    });
    verdicts.set(check.name, judged);
  }
  await Promise.all(verdicts.values());
  return totals;
}

/**
 * The check of this name, and those that it cannot be made without.
 *
 * @throws RangeError when there is none of that name
 */
export function only<Context>(checks: readonly Check<Context>[], name: string): Check<Context>[] {
  const wanted = new Set<string>([name]);
  if (!checks.some((check) => check.name === name)) {
    throw new RangeError(`there is no check "${name}", only ${checks.map((check) => check.name).join(", ")}`);
  }
  for (const check of checks.toReversed()) {
    if (wanted.has(check.name)) for (const before of check.after) wanted.add(before);
  }
  return checks.filter((check) => wanted.has(check.name));
}

async function judge<Context>(
  check: Check<Context>,
  verdictOf: (name: string) => Promise<Verdict> | undefined,
  options: RunOptions<Context>,
): Promise<Verdict> {
  const { signal, lacks } = options;
  for (const need of check.needs) {
    const why = lacks(need);
    if (why !== undefined) return { kind: "skipped", why };
  }
  for (const name of check.waitsFor ?? []) await verdictOf(name);
  for (const name of check.after) {
    const before = await verdictOf(name);
    if (before?.kind !== "ok") return { kind: "skipped", why: `${name} is not ok` };
  }
  if (signal.aborted) return { kind: "skipped", why: "interrupted" };
  return await made(check, options);
}

/** Runs it, to its deadline at most. What it was doing then is told to stop, and not waited for. */
async function made<Context>(check: Check<Context>, { context, signal, every }: RunOptions<Context>): Promise<Verdict> {
  const late = new AbortController();
  let awaited: string | (() => string) = "its end";
  const running: Running = {
    signal: AbortSignal.any([signal, late.signal]),
    async until(what, look) {
      awaited = what;
      for (;;) {
        running.signal.throwIfAborted();
        const found = await look();
        if (found !== undefined) return found;
        await pause(every, undefined, { signal: running.signal });
      }
    },
  };
  const stopped = Promise.withResolvers<never>();
  const stop = (): void => stopped.reject(running.signal.reason);
  running.signal.addEventListener("abort", stop, { once: true });
  // Of no concern once the check has ended first.
  stopped.promise.catch(() => {});
  const timer = setTimeout(() => late.abort(), check.deadline);
  const started = performance.now();
  const failed = (why: string): Verdict => ({ kind: "failed", why, ms: performance.now() - started });
  try {
    const shown = await Promise.race([check.run(context, running), stopped.promise]);
    return { kind: "ok", shown, ms: performance.now() - started };
  } catch (error) {
    if (signal.aborted) return { kind: "skipped", why: "interrupted" };
    if (late.signal.aborted) return failed(`not within ${check.deadline / 1000} s: ${textOf(awaited)}`);
    if (error instanceof NotShownError) return { kind: "skipped", why: error.message };
    return failed(reasonOf(error));
  } finally {
    clearTimeout(timer);
    running.signal.removeEventListener("abort", stop);
  }
}

function textOf(what: string | (() => string)): string {
  return typeof what === "string" ? what : what();
}

function reasonOf(error: unknown): string {
  if (error instanceof CheckFailedError) return `${error.message}. What to do: ${error.todo}`;
  if (error instanceof Error) return `${error.name}: ${error.message}`;
  return String(error);
}

function lineOf(name: string, verdict: Verdict): string {
  // One line each, whatever a command has printed.
  const flat = (text: string): string => text.replaceAll(/\s*\n\s*/g, " | ");
  const seconds = (ms: number): string => `(${(ms / 1000).toFixed(0)} s)`;
  switch (verdict.kind) {
    case "ok":
      return `${name}: ok: ${flat(verdict.shown)} ${seconds(verdict.ms)}`;
    case "failed":
      return `${name}: FAILED: ${flat(verdict.why)} ${seconds(verdict.ms)}`;
    case "skipped":
      return `${name}: skipped: ${flat(verdict.why)}`;
  }
}
