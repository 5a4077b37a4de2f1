import { spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";

const ROOT = resolve(import.meta.dirname, "../..");
/** Of what a command has printed, so many lines are quoted. */
const QUOTED = 12;

/** Programs as a user runs them in this checkout, until they are ended. */
export interface Commands {
  /** Gives what it has printed. Throws an Error with the end of that unless it succeeds. */
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
  const running = new Set<ReturnType<typeof start>>();
  const [cdk, command] = ["node_modules/aws-cdk/bin/cdk", "lib/cli/bin/survey-poller.mjs"].map((file) =>
    join(ROOT, file),
  );

  function start(program: string, args: readonly string[], env: Record<string, string> = {}) {
    const child = spawn(program, args, {
      cwd: ROOT,
      env: { ...process.env, CDK_DISABLE_VERSION_CHECK: "true", CDK_NOTICES: "false", NO_COLOR: "1", ...env },
      // In a group of its own: Ctrl-C is for the smoke test, which ends it and then removes what was made.
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    running.add(child);
    child.once("close", () => running.delete(child));
    return child;
  }

  async function run(program: string, args: readonly string[], env?: Record<string, string>): Promise<string> {
    const child = start(program, args, env);
    const [printed, said, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
    if (code === 0) return printed;
    const end = (printed + said).trimEnd().split("\n").slice(-QUOTED).join(" | ");
    const name = program === process.execPath ? args.slice(1, 3) : [program, ...args.slice(0, 2)];
    throw new Error(`${name.join(" ")} ended with ${code}: ${end}`);
  }

  return {
    cdk: (args, env) => run(process.execPath, [String(cdk), ...args, "--output", join(folder, "cdk.out")], env),
    surveyPoller: (args, env) => run(process.execPath, [String(command), ...args], env),
    aws: async (args) => JSON.parse((await run("aws", [...args, "--output", "json"])) || "null") as unknown,
    async tail(stack) {
      const child = start(process.execPath, [String(command), "tail", "--stack", stack, "--json", "--reveal"]);
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
    end() {
      for (const child of running) child.kill("SIGINT");
    },
  };
}
