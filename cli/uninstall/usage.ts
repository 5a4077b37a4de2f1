import { readFlags, UsageError } from "../flags.ts";

const HELP = "npm run uninstall -- --help";

export const usage = `Usage: npm run uninstall -- [flags]

Removes a deployment for good: the stack, and what outlives a stack (the books, the bus, its archive, the bucket with all that is in it).
It names each thing first, and goes on when the name of the stack is typed. Then no event can be replayed, and a new deployment begins anew.

  --stack NAME      the stack (default SurveyPoller)
  --with-rules      also the rules and archives that others have on the bus; without it these are named, and nothing is removed
  --yes NAME        the name of the stack, instead of typing it; needed without a terminal
  --help            this text

Exit code 0: all of it is gone. 1: not removed, or not all of it; the last line says why. 2: called in a way it does not understand.
AWS credentials and region are those of the AWS command line: AWS_PROFILE, AWS_REGION and so on.
`;

const options = {
  stack: { type: "string" },
  "with-rules": { type: "boolean" },
  yes: { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

/** What the user asked for. */
export interface UninstallLine {
  help: boolean;
  stack: string;
  withRules: boolean;
  /** The name of the stack, where it was typed already. */
  yes: string | undefined;
}

/** @throws UsageError naming what is wrong */
export function parseUninstallLine(args: string[]): UninstallLine {
  const flags = readFlags(args, options, HELP);
  const stack = flags.stack ?? "SurveyPoller";
  if (!/^[A-Za-z][A-Za-z0-9-]{0,127}$/.test(stack)) {
    throw new UsageError("--stack is not the name of a stack", { hint: `See ${HELP}.` });
  }
  return { help: flags.help === true, stack, withRules: flags["with-rules"] === true, yes: flags.yes };
}
