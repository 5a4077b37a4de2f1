import { once } from "node:events";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { endAll, startGroup, succeed } from "../deploy/support/processes.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const CDK = join(ROOT, "node_modules/aws-cdk/bin/cdk");
const COMMAND = join(ROOT, "lib/cli/bin/survey-poller.mjs");
/** Milliseconds: what takes longer hangs. */
const LIMIT = 1_800_000;

/** `survey-poller tail`, as it runs. */
export type Tail = Awaited<ReturnType<ReturnType<typeof createCommands>["tail"]>>;

export interface Heard {
  id: string;
  "detail-type": string;
  detail: {
    meta: { eventId: string };
    data: { responseId?: number; answers?: unknown[]; answersRef?: { bucket: string; key: string } | null };
  };
}

/**
 * Programs as a user runs them in this checkout, until they are ended. Each gives what it has printed, and throws an Error with that unless it succeeds.
 *
 * @param folder for what the CDK synthesises
 */
export function createCommands(folder: string) {
  const whole = (env: Record<string, string> = {}) => ({
    cwd: ROOT,
    env: {
      ...(process.env as Record<string, string>),
      ...{ CDK_DISABLE_VERSION_CHECK: "true", CDK_NOTICES: "false", NO_COLOR: "1" },
      ...env,
    },
    limit: LIMIT,
  });
  const run = async (program: string, args: readonly string[], env?: Record<string, string>): Promise<string> =>
    (await succeed(program, args, whole(env))).stdout;

  return {
    cdk: (args: readonly string[], env?: Record<string, string>) =>
      run(process.execPath, [CDK, ...args, "--output", join(folder, "cdk.out")], env),
    surveyPoller: (args: readonly string[], env?: Record<string, string>) =>
      run(process.execPath, [COMMAND, ...args], env),
    /** The command line of AWS; gives its JSON. */
    aws: async (args: readonly string[]) =>
      JSON.parse((await run("aws", [...args, "--output", "json"])) || "null") as unknown,
    async tail(stack: string) {
      const child = startGroup(process.execPath, [COMMAND, "tail", "--stack", stack, "--json", "--reveal"], whole());
      const events: Heard[] = [];
      createInterface(child.stdout).on("line", (line) => events.push(JSON.parse(line) as Heard));
      await new Promise<void>((listens, fail) => {
        let said = "";
        createInterface(child.stderr).on("line", (line) => {
          said += `${line} | `;
          if (line.startsWith("Listening")) listens();
        });
        child.once("close", (code) => fail(new Error(`survey-poller tail ended with ${code}: ${said}`)));
      });
      return {
        /** Events as the bus has delivered them so far. */
        events: events as readonly Heard[],
        /** Removes its rule and its queue. */
        async stop(): Promise<void> {
          if (child.exitCode !== null || child.signalCode !== null) return;
          const ended = once(child, "close");
          child.kill("SIGINT");
          await ended;
        },
      };
    },
    /** Ends what runs, at Ctrl-C. */
    end: () => endAll("SIGINT"),
  };
}
