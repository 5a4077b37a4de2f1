import { once } from "node:events";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { endAll, startGroup, succeed } from "../deploy/support/processes.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const CDK = join(ROOT, "node_modules/aws-cdk/bin/cdk");
const COMMAND = join(ROOT, "lib/cli/bin/survey-poller.mjs");
/** Milliseconds: what takes longer hangs. */
const LIMIT = 1_800_000;

/** Programs as a user runs them in this checkout, until they are ended. */
export interface Commands {
  /** Gives what it has printed. Throws an Error with that unless it succeeds. */
  cdk(args: readonly string[], env?: Record<string, string>): Promise<string>;
  surveyPoller(args: readonly string[], env?: Record<string, string>): Promise<string>;
  /** The command line of AWS; gives its JSON. */
  aws(args: readonly string[]): Promise<unknown>;
  tail(stack: string): Promise<Tail>;
  /** Ends what runs, at Ctrl-C. */
  end(): void;
}

/** `survey-poller tail`, as it runs. */
export interface Tail {
  /** Events as the bus has delivered them so far. */
  readonly events: readonly Heard[];
  /** Removes its rule and its queue. */
  stop(): Promise<void>;
}

export interface Heard {
  id: string;
  "detail-type": string;
  detail: {
    meta: { eventId: string };
    data: { responseId?: number; answers?: unknown[]; answersRef?: { bucket: string; key: string } | null };
  };
}

/** @param folder for what the CDK synthesises */
export function createCommands(folder: string): Commands {
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
    cdk: (args, env) => run(process.execPath, [CDK, ...args, "--output", join(folder, "cdk.out")], env),
    surveyPoller: (args, env) => run(process.execPath, [COMMAND, ...args], env),
    aws: async (args) => JSON.parse((await run("aws", [...args, "--output", "json"])) || "null") as unknown,
    async tail(stack) {
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
        events,
        async stop() {
          if (child.exitCode !== null || child.signalCode !== null) return;
          const ended = once(child, "close");
          child.kill("SIGINT");
          await ended;
        },
      };
    },
    end: () => endAll("SIGINT"),
  };
}
