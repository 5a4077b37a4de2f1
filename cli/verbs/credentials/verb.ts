import { Option } from "@commander-js/extra-typings";
import { baseUrlProblem } from "../../../lib/survey-api/base-url.ts";
import { createSecretsClient } from "../../credentials/secret.ts";
import { UsageError } from "../../flags.ts";
import type { Io } from "../../io.ts";
import { openTarget } from "../../target/open-target.ts";
import { oneSource } from "../../target/target.ts";
import { examples, targetVerb, type Verb, yesOption } from "../../verb.ts";
import type { CredentialsAnswer } from "./answer.ts";
import { credentialsText, fillCredentials } from "./fill.ts";
import { secretName } from "./secret-name.ts";

const ABOUT = `
They are asked for, and not shown while they are typed. Or they come from SURVEY_CLIENT_ID and
SURVEY_CLIENT_SECRET, or from standard input, as {"clientId":"…","clientSecret":"…"} or as two lines.
No flag takes them: flags stay in the shell's history. The stack is SurveyPoller and the source main
unless another one is named.`;

export const credentialsVerb: Verb = (act) =>
  targetVerb("credentials", "puts client id and client secret into the secret that was made for them")
    .option("--source <name>", "the source whose credentials they are")
    .addOption(new Option("--secret <name>", "the secret itself, by name or ARN").conflicts(["stack", "source"]))
    .option("--base-url <url>", "ask this survey service first, and write nothing that it refuses")
    .addOption(yesOption())
    // Ways in which people try to give them all the same.
    .addOption(new Option("--client-id [text]").hideHelp())
    .addOption(new Option("--client-secret [text]").hideHelp())
    .addHelpText("after", ABOUT)
    .addHelpText(
      "after",
      examples(
        "credentials --stack SurveyPoller --base-url https://surveys.example.com --yes",
        "credentials --data .survey-poller --yes < credentials.json",
      ),
    )
    .action((options) =>
      act(options, async (io) => {
        check(options);
        const data = await fill({ ...options, yes: options.yes === true }, io);
        return { data, text: credentialsText(data) };
      }),
    );

interface Options {
  stack?: string | undefined;
  data?: string | undefined;
  source?: string | undefined;
  secret?: string | undefined;
  baseUrl?: string | undefined;
}

/** @throws UsageError naming what is wrong; no value is repeated, since it may be a secret that was meant for the prompt */
function check(options: Options): void {
  if ("clientId" in options || "clientSecret" in options) {
    throw new UsageError("credentials are not taken from flags, which stay in the shell's history", {
      hint: "Leave them out: they are asked for. --help tells of the other ways.",
    });
  }
  for (const name of ["stack", "data", "source", "secret"] as const) {
    if (options[name] === "") throw new UsageError(`--${name} needs a value`, { hint: "See --help." });
  }
  const problem = options.baseUrl === undefined ? undefined : baseUrlProblem(options.baseUrl);
  if (problem !== undefined) throw new UsageError(`--base-url ${problem}`, { hint: "See --help." });
}

async function fill(
  { stack = "SurveyPoller", data, source, secret, baseUrl, yes }: Options & { yes: boolean },
  io: Io,
): Promise<CredentialsAnswer> {
  if (data === undefined) {
    // Of a stack the name of the secret is known: who fills it need not be allowed to look at the stack.
    const client = createSecretsClient();
    const name = source ?? "main";
    const secretId = secret ?? secretName(stack, name);
    const whose = secret === undefined ? name : undefined;
    return fillCredentials({ client, secretId, source: whose, baseUrl, yes }, io).finally(() => client.destroy());
  }
  await using target = await openTarget({ data }, io);
  const { name } = await oneSource(target, source);
  const secretId = secret ?? target.resources.secrets[name]?.credentials ?? secretName("local", name);
  const client = createSecretsClient(target.client("secretsmanager"));
  return await fillCredentials({ client, secretId, source: name, baseUrl, yes }, io).finally(() => client.destroy());
}
