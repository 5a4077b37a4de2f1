import { baseUrlProblem } from "../../lib/survey-api/base-url.ts";
import { readFlags, UsageError } from "../flags.ts";

const HELP = "npm run credentials -- --help";

export const usage = `Usage: npm run credentials -- [flags]

Puts the client id and the client secret of the survey service into the secret that the stack has made for them.
They are asked for and not shown while they are typed; or they come from SURVEY_CLIENT_ID and SURVEY_CLIENT_SECRET,
or from standard input, as {"clientId":"…","clientSecret":"…"} or as two lines. No flag takes them: flags stay in the
shell's history.

  --stack NAME      the stack (default SurveyPoller)
  --source NAME     the source whose credentials they are (default main)
  --secret NAME     the secret itself, by name or ARN, instead of --stack and --source
  --base-url URL    ask this survey service for a token first, and write nothing that it refuses
  --help            this text

AWS credentials and region are those of the AWS command line: AWS_PROFILE, AWS_REGION and so on.
`;

const options = {
  stack: { type: "string" },
  source: { type: "string" },
  secret: { type: "string" },
  "base-url": { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

/** What the user asked for. */
export interface CredentialsLine {
  help: boolean;
  secretId: string;
  /** Whose they are, where that is known. */
  source?: string;
  baseUrl?: string;
}

/** @throws UsageError naming what is wrong; no value is repeated, since it may be a secret that was meant for the prompt */
export function parseCredentialsLine(args: string[]): CredentialsLine {
  if (args.some((arg) => /^--client-(id|secret)\b/.test(arg))) {
    throw new UsageError("credentials are not taken from flags, which stay in the shell's history", {
      hint: `Leave them out: they are asked for. ${HELP} tells of the other ways.`,
    });
  }
  const flags = readFlags(args, options, HELP, { quotes: false });
  const { stack, source = "main", secret } = flags;
  if (secret !== undefined && (stack ?? flags.source) !== undefined) {
    throw new UsageError("--secret stands for --stack and --source: give it, or them", { hint: `See ${HELP}.` });
  }
  const baseUrl = flags["base-url"];
  const problem = baseUrl === undefined ? undefined : baseUrlProblem(baseUrl);
  if (problem !== undefined) throw new UsageError(`--base-url ${problem}`, { hint: `See ${HELP}.` });
  return {
    help: flags.help === true,
    secretId: secret ?? secretName(stack ?? "SurveyPoller", source),
    ...(secret === undefined ? { source } : {}),
    ...(baseUrl === undefined ? {} : { baseUrl }),
  };
}

/** The name that a stack gives to the credentials secret of a source. */
export function secretName(stack: string, source: string): string {
  return `${stack}/${source}/credentials`;
}
