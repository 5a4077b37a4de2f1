import { createInterface } from "node:readline/promises";
import { errorCode, PollerError } from "../../lib/errors.ts";
import type { Terminal } from "../credentials/hidden-prompt.ts";
import { UsageError } from "../flags.ts";
import type { Inventory } from "./found.ts";
import { takeInventory } from "./inventory.ts";
import { removeAll } from "./remove.ts";
import { inventoryLines, strangersIn } from "./say.ts";
import { createServices } from "./services.ts";
import { parseUninstallLine, type UninstallLine, usage } from "./usage.ts";

/** Nothing was removed, on purpose. */
export class NotRemovedError extends PollerError {
  readonly code = "NOT_REMOVED";
}

export interface UninstallRequest {
  args: string[];
  /** Questions go to its output, which is not that of the answer. */
  terminal: Terminal;
  say: (line: string) => void;
}

/**
 * Removes a deployment for good, after naming it and being told to.
 *
 * @throws UsageError, NotRemovedError before anything is removed; an error of AWS as well, after which the same command goes on
 */
export async function uninstall({ args, terminal, say }: UninstallRequest): Promise<void> {
  const line = parseUninstallLine(args);
  if (line.help) return say(usage.trimEnd());
  const services = createServices();
  try {
    const found = await takeInventory(services, line.stack).catch(notLookedAt);
    const lines = inventoryLines(found);
    if (lines.length === 0) return say(`There is nothing of ${line.stack} here.`);
    for (const one of lines) say(one);
    refuse(found, line);
    await confirm(line, terminal);
    await removeAll(services, found, say);
    say(`All of ${line.stack} is gone. What cdk bootstrap has made stays.`);
  } finally {
    services.close();
  }
}

function notLookedAt(error: unknown): never {
  const [reason = ""] = (error as Error).message.split("\n");
  throw new NotRemovedError(`nothing was removed: AWS cannot be asked what is there (${errorCode(error)}: ${reason})`, {
    hint: "Set AWS_REGION, sign in (AWS_PROFILE, `aws sso login`), and look whether you may list and describe what a stack holds.",
    cause: error,
  });
}

/** @throws NotRemovedError where something of others would go as well */
export function refuse(found: Inventory, { stack, withRules }: Pick<UninstallLine, "stack" | "withRules">): void {
  const strangers = strangersIn(found);
  if (strangers.length > 0) {
    throw new NotRemovedError(
      `nothing was removed: the stack ${stack} holds more than the poller (${strangers.join(", ")})`,
      {
        hint: "Take the poller out of your app and deploy that; its table, bucket, bus and archive then go by their names, with the AWS command line.",
      },
    );
  }
  const others = [
    ...found.rules.map(({ name }) => `rule ${name}`),
    ...found.archives.flatMap(({ name, isOwn }) => (isOwn ? [] : [`archive ${name}`])),
  ];
  if (others.length > 0 && !withRules) {
    throw new NotRemovedError(`nothing was removed: others subscribe to the bus (${others.join(", ")})`, {
      hint: "Have them removed by whoever made them, or remove them as well: --with-rules.",
    });
  }
}

/** @throws UsageError, NotRemovedError unless the name of the stack is typed, or was given */
async function confirm({ stack, yes }: UninstallLine, { input, output }: Terminal): Promise<void> {
  if (yes !== undefined) {
    if (yes === stack) return;
    throw new UsageError("--yes has another name than --stack", {
      hint: "Nothing was removed. Give the stack's name.",
    });
  }
  if (input.isTTY !== true) {
    const hint = `Look at what is named above, then add --yes ${stack}.`;
    throw new NotRemovedError("nothing was removed: there is no terminal to ask at", { hint });
  }
  const typed = await ask("All of this is deleted, and cannot be had back. Type the name of the stack: ", {
    input,
    output,
  });
  if (typed?.trim() !== stack) throw new NotRemovedError("nothing was removed: that is not its name");
}

/** What is typed; undefined after Ctrl-C or Ctrl-D. */
async function ask(question: string, { input, output }: Terminal): Promise<string | undefined> {
  const prompt = createInterface({ input, output });
  const given = new AbortController();
  prompt.once("close", () => given.abort());
  try {
    return await prompt.question(question, { signal: given.signal });
  } catch (error) {
    if (given.signal.aborted) return undefined;
    throw error;
  } finally {
    prompt.close();
  }
}
