import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, vi } from "vitest";
import type { ExitCode } from "../../../../lib/cli/errors.ts";
import type { Io } from "../../../../lib/cli/io.ts";
import { runCommand as runHere } from "../../../../lib/cli/run-command.ts";
import type { EmbeddedAws } from "../../../../lib/local/aws/index.ts";
import { type Simulator, type SimulatorOptions, startSimulator } from "../../../../lib/local/simulator/index.ts";
import { runCommand, temporaryFolder } from "../../../support/command.ts";

export interface Ran {
  code: ExitCode;
  stdout: string;
  stderr: string;
  /** What `--json` printed. */
  json: unknown;
}

export interface RunOptions {
  environment?: Record<string, string>;
  /** What is typed, or comes through a pipe. */
  input?: string;
  /** Whether somebody sits at a terminal. */
  isInteractive?: boolean;
  /** Columns of the terminal; none in a pipe. */
  width?: number;
  /** Aborted by Ctrl-C. */
  signal?: AbortSignal;
  /** Epoch milliseconds. */
  now?: () => number;
}

/** Runs a command line in this process, as `survey-poller` does. */
export async function survey(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const { io, lines, said } = ioOf(options);
  const code = await runHere(args, io);
  const stdout = lines.map((line) => `${line}\n`).join("");
  const json = args.includes("--json") && lines.length === 1 ? JSON.parse(stdout) : undefined;
  return { code, stdout, stderr: said(), json };
}

/** Runs a program of the project in a shell of its own, after these commands of the shell. */
export async function inShell(
  args: readonly string[],
  before = "true",
): Promise<Pick<Ran, "stdout" | "stderr"> & { code: number | null }> {
  const child = spawn("sh", ["-c", `${before}; exec "$0" "$@"`, process.execPath, ...args], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, SURVEY_POLLER_FUNCTIONS: process.env.BUNDLED_ONCE },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { stdout, stderr, code };
}

/** What a verb knows of the world outside, and what it has said. */
export function ioOf(options: RunOptions = {}): { io: Io; lines: string[]; said: () => string } {
  const { environment = {}, input = "", isInteractive = false, signal = new AbortController().signal } = options;
  const broken = new AbortController();
  const typed = Object.assign(new PassThrough(), { isTTY: isInteractive });
  typed.end(input);
  const talk = Object.assign(new PassThrough(), { isTTY: isInteractive });
  const lines: string[] = [];
  let stderr = "";
  talk.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const io: Io = {
    environment,
    input: typed,
    talk,
    out: (line) => void lines.push(line),
    say: (line) => void talk.write(`${line}\n`),
    style: (_style, text) => text,
    width: options.width ?? Number.POSITIVE_INFINITY,
    isInteractive,
    signal: AbortSignal.any([signal, broken.signal]),
    fail: (error) => broken.abort(error),
    command: "survey-poller",
    now: options.now ?? Date.now,
  };
  return { io, lines, said: () => stderr };
}

/** Lets the commands of a file find this AWS by the environment of the process, as people set it. */
export function findsAws(test: { aws: EmbeddedAws }): void {
  beforeEach(() => {
    vi.stubEnv("AWS_ENDPOINT_URL_SECRETS_MANAGER", test.aws.endpoint);
    vi.stubEnv("AWS_REGION", "us-east-1");
    vi.stubEnv("AWS_ACCESS_KEY_ID", test.aws.credentials.accessKeyId);
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "local");
    return () => vi.unstubAllEnvs();
  });
}

/** What `--json` printed. */
export function answerOf<Answer>(ran: Ran): Answer & { schemaVersion: 1 } {
  expect(ran.json).toMatchObject({ schemaVersion: 1 });
  return ran.json as Answer & { schemaVersion: 1 };
}

/** A simulated service, which answers until the test ends. */
export async function simulated(settings: SimulatorOptions = {}): Promise<Simulator> {
  const simulator = await startSimulator(settings);
  onTestFinished(() => simulator.close());
  return simulator;
}

/** The credentials of a service, as the environment has them. */
export const environmentOf = ({ clientId, clientSecret }: Simulator) => ({
  ...{ SURVEY_CLIENT_ID: clientId, SURVEY_CLIENT_SECRET: clientSecret },
});

export interface Folder {
  data: string;
  simulator: Simulator;
}

/** A data folder after some ticks over a simulated service. */
export async function polledFolder(settings: SimulatorOptions, args: readonly string[] = []): Promise<Folder> {
  const folder = { data: temporaryFolder(), simulator: await simulated(settings) };
  await poll(folder, args);
  return folder;
}

/** The same for all tests of a file, after what `then` does before the first of them. */
export function useFolder(
  settings: SimulatorOptions,
  then: (folder: Folder) => Promise<void> = async () => {},
  args: readonly string[] = [],
): Folder {
  const folder = { data: mkdtempSync(join(tmpdir(), "survey-poller-")) } as Folder;
  beforeAll(async () => {
    folder.simulator = await startSimulator(settings);
    await poll(folder, args);
    await then(folder);
  }, 120_000);
  afterAll(async () => {
    await folder.simulator.close();
    rmSync(folder.data, { recursive: true, force: true });
  });
  return folder;
}

/** Some more ticks. */
export async function poll({ data, simulator }: Folder, args: readonly string[] = []): Promise<void> {
  const line = ["--base-url", simulator.url, "--data", data, "--ticks", "2", "--interval", "0s"];
  if (!args.includes("--start-from")) line.push("--start-from", "beginning");
  const { code, stderr } = await runCommand([...line, ...args], { env: environmentOf(simulator), isAwaited: true });
  if (code !== 0) throw new Error(`npm start failed: ${stderr}`);
}
