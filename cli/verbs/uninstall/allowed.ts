import { createInterface } from "node:readline/promises";
import { PollerError } from "../../../lib/errors.ts";
import { UsageError } from "../../flags.ts";
import type { Io } from "../../io.ts";
import type { Inventory } from "./found.ts";
import { strangersIn } from "./say.ts";

/** Not all is removed: nothing, on purpose, or a part, as AWS did not let it go. */
export class NotRemovedError extends PollerError {
  readonly code = "NOT_REMOVED";
}

/** @throws NotRemovedError where something of others would go as well */
export function refuse(found: Inventory, { stack, withRules }: { stack: string; withRules: boolean }): void {
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

/** @throws UsageError where another name is given than that of the stack */
export function checkName({ stack, yes }: { stack: string; yes: string | undefined }): void {
  if (yes === undefined || yes === stack) return;
  throw new UsageError("--yes has another name than --stack", { hint: "Nothing was removed. Give the stack's name." });
}

/** @throws NotRemovedError unless the name of the stack is typed */
export async function typeName(stack: string, io: Io): Promise<void> {
  const typed = await ask("All of this is deleted, and cannot be had back. Type the name of the stack: ", io);
  if (typed?.trim() !== stack) throw new NotRemovedError("nothing was removed: that is not its name");
}

/** The text that is typed; undefined after Ctrl-C or Ctrl-D. */
async function ask(question: string, { input, talk }: Pick<Io, "input" | "talk">): Promise<string | undefined> {
  const prompt = createInterface({ input, output: talk });
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
