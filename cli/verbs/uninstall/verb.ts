import { InvalidArgumentError } from "@commander-js/extra-typings";
import { errorCode } from "../../../lib/errors.ts";
import { CommandError } from "../../errors.ts";
import { EXIT } from "../../exit-codes.ts";
import type { Io } from "../../io.ts";
import { askingAws } from "../../target/aws-failure.ts";
import { examples, type Verb, verb } from "../../verb.ts";
import { checkName, NotRemovedError, refuse, typeName } from "./allowed.ts";
import type { UninstallAnswer } from "./answer.ts";
import { takeInventory } from "./inventory.ts";
import { removeAll } from "./remove.ts";
import { inventoryLines } from "./say.ts";
import { createServices } from "./services.ts";

const ABOUT = `
The stack goes, and what outlives a stack: the books, the bus, its archive, the bucket with all that is in it.
It names each thing first. Then no event can be replayed, and a new deployment begins anew.`;

interface Wanted {
  stack: string;
  withRules: boolean;
  yes: string | undefined;
}

export const uninstallVerb: Verb = (act) =>
  verb("uninstall", "removes a deployment for good, once its name is typed")
    .option("--stack <name>", "the stack, also one that is deleted by now", stackName, "SurveyPoller")
    .option("--with-rules", "also the rules and archives that others have on the bus")
    .option("--yes <name>", "the name of the stack, instead of typing it; without either it is a dry run")
    .addHelpText("after", ABOUT)
    .addHelpText("after", examples("uninstall --stack SurveyPoller", "uninstall --with-rules --yes SurveyPoller"))
    .action((options) =>
      act(options, async (io) => {
        const { stack, yes } = options;
        const wanted = { stack, withRules: options.withRules === true, yes };
        checkName(wanted);
        const removed: string[] = [];
        const isJson = options.json === true;
        const { found, dryRun } = await uninstall(wanted, {
          ...io,
          // Each line as it comes: a stack takes minutes to go.
          out: isJson ? () => undefined : io.out,
          removed: (what) => void removed.push(what),
        });
        const answer: UninstallAnswer = { dryRun, stack, found, removed };
        return isJson ? { data: answer, text: [] } : undefined;
      }),
    );

function stackName(text: string): string {
  if (/^[A-Za-z][A-Za-z0-9-]{0,127}$/.test(text)) return text;
  throw new InvalidArgumentError("it must be the name of a stack");
}

/** @throws NotRemovedError after which the same command goes on with what is left */
async function uninstall(
  { stack, withRules, yes }: Wanted,
  { removed, ...io }: Io & { removed: (what: string) => void },
): Promise<{ found: string[]; dryRun: boolean }> {
  const services = createServices();
  try {
    const inventory = await askingAws("AWS cannot be asked what is there", () => takeInventory(services, stack)).catch(
      notLookedAt,
    );
    const found = inventoryLines(inventory);
    const dryRun = yes === undefined && !io.isInteractive;
    for (const line of found.length === 0 ? [`There is nothing of ${stack} here.`] : found) io.out(line);
    if (found.length === 0) return { found, dryRun };
    refuse(inventory, { stack, withRules });
    if (dryRun) {
      io.say(`Dry run: nothing was removed. Add --yes ${stack} to do it.`);
      return { found, dryRun };
    }
    if (yes === undefined) await typeName(stack, io);
    await removeAll(services, inventory, {
      signal: io.signal,
      say(what) {
        io.out(`removed: ${what}`);
        removed(what);
      },
    }).catch(notAllRemoved);
    io.out(`All of ${stack} is gone. What cdk bootstrap has made stays.`);
    return { found, dryRun };
  } finally {
    services.close();
  }
}

function notLookedAt(error: unknown): never {
  if (error instanceof CommandError && error.exit === EXIT.credentials) throw error;
  throw new NotRemovedError(`nothing was removed: ${(error as Error).message}`, {
    hint: "Set AWS_REGION, sign in (AWS_PROFILE, `aws sso login`), and look whether you may list and describe what a stack holds.",
    cause: error,
  });
}

/** Of AWS, most likely: its name and its words say what it did not let happen. */
function notAllRemoved(error: unknown): never {
  if (error instanceof CommandError) throw error;
  const [reason = ""] = (error as Error).message.split("\n");
  throw new NotRemovedError(`not all is removed (${errorCode(error)}): ${reason}`, {
    hint: "Mend that and run the command again: it goes on with what is left.",
    cause: error,
  });
}
