import { join } from "node:path";
import { expect, onTestFinished, vi } from "vitest";
import { type Simulator, type SimulatorOptions, startSimulator } from "../../../lib/local/simulator/index.ts";
import {
  type CommandOptions,
  type CommandResult,
  type RunningCommand,
  runCommand,
  startCommand,
  temporaryFolder,
} from "../../support/command.ts";

// Each test starts processes: where the machine has more to do, that takes a while.
vi.setConfig({ testTimeout: 120_000 });

/** Values of flags by their names without dashes; `true` for a flag without a value, undefined leaves a default out. */
export type Flags = Record<string, string | true | undefined>;

export type PolledService = Awaited<ReturnType<typeof polledService>>;

/**
 * A survey service that runs in this process until the test ends, and a folder in which the command is run against it. One tick is made unless the
 * flags say otherwise.
 */
export async function polledService(options: SimulatorOptions = {}) {
  const simulator = await startSimulator(options);
  onTestFinished(() => simulator.close());
  const folder = temporaryFolder();

  const args = (flags: Flags = {}): string[] =>
    toArgs({
      "base-url": simulator.url,
      data: join(folder, "data"),
      events: join(folder, "events.jsonl"),
      ticks: "1",
      interval: "0s",
      "no-console": true,
      ...flags,
    });

  const withCredentials = (runOptions: CommandOptions = {}): CommandOptions => ({
    ...runOptions,
    env: { SURVEY_CLIENT_ID: simulator.clientId, SURVEY_CLIENT_SECRET: simulator.clientSecret, ...runOptions.env },
  });

  const run = async (flags: Flags = {}, runOptions?: CommandOptions): Promise<CommandResult> => {
    const result = await runCommand(args(flags), withCredentials(runOptions));
    expect(leaks(simulator, flags.events === "-" ? result.stderr : result.stdout + result.stderr)).toEqual([]);
    return result;
  };

  return {
    simulator,
    /** Holds `data`, the state, and `events.jsonl`. */
    folder,
    /** Runs the command to its end; nothing secret or personal may be in its output. */
    run,
    /** As `run`, and it must have gone well. */
    async poll(flags?: Flags, runOptions?: CommandOptions): Promise<CommandResult> {
      const result = await run(flags, runOptions);
      const stderr = flags?.events === "-" ? "" : result.stderr;
      expect({ code: result.code, stderr }).toEqual({ code: 0, stderr: "" });
      return result;
    },
    start: (flags?: Flags, runOptions?: CommandOptions): RunningCommand =>
      startCommand(args(flags), withCredentials(runOptions)),
  };
}

export function toArgs(flags: Flags): string[] {
  return Object.entries(flags).flatMap(([name, value]) => {
    if (value === undefined) return [];
    return value === true ? [`--${name}`] : [`--${name}`, value];
  });
}

/** Which of the secrets and of the personal data that the service holds stand in a text, by kind. */
export function leaks(simulator: Simulator, text: string): string[] {
  const tokens = simulator.log().flatMap(({ headers }) => String(headers.authorization ?? "").split(" ")[1] ?? []);
  const secrets = [simulator.clientSecret, ...new Set(tokens)];
  const personal = simulator.truth().flatMap(({ records, metadata }) => [
    // A short word may stand anywhere by chance.
    ...records.map(({ comment }) => comment).filter((comment) => typeof comment === "string" && comment.length >= 12),
    ...(Array.isArray(metadata) ? metadata.map(({ ip }) => ip) : []),
  ]);
  return [
    ...secrets.filter((secret) => text.includes(secret)).map(() => "a secret"),
    ...new Set(personal.filter((datum) => text.includes(String(datum))).map(() => "personal data")),
  ];
}
