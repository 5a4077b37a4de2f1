import { readFlags } from "../local/read-flags.ts";

export const USAGE = `npm run smoke -- [flags]

After "cdk deploy", in a real AWS account: deploys a survey service, a poller and subscribers of its own beside what is
deployed, shows with them what no emulator can, looks at the deployed stack without changing it, and removes what it made.
docs/smoke.md says what each check shows.

  --stack NAME           the deployed stack that is looked at; default SurveyPoller
  --only CHECK           this check, and what it needs
  --other-profile NAME   profile of a second AWS account, for the cross-account rule; without it that check is skipped
  --keep                 leaves what it has made
  --clean                only removes what an earlier run has left
  --list                 names the checks
  --emulator             AWS_ENDPOINT_URL names an emulator: what it cannot show is skipped
  --help`;

const FLAGS = {
  stack: { type: "string" },
  only: { type: "string" },
  "other-profile": { type: "string" },
  keep: { type: "boolean" },
  clean: { type: "boolean" },
  list: { type: "boolean" },
  emulator: { type: "boolean" },
  help: { type: "boolean" },
} as const;

export interface Options {
  stack: string;
  only?: string | undefined;
  otherProfile?: string | undefined;
  keep: boolean;
  clean: boolean;
  list: boolean;
  emulator: boolean;
  help: boolean;
}

/** @throws UsageError naming the flag that is wrong */
export function readOptions(args: string[]): Options {
  const flags = readFlags(args, FLAGS, "npm run smoke -- --help");
  return {
    stack: flags.stack ?? "SurveyPoller",
    only: flags.only,
    otherProfile: flags["other-profile"],
    keep: flags.keep ?? false,
    clean: flags.clean ?? false,
    list: flags.list ?? false,
    emulator: flags.emulator ?? false,
    help: flags.help ?? false,
  };
}
