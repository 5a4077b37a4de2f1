import { CreateSecretCommand, InvalidRequestException, PutSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { openInbox } from "../aws/inbox.ts";
import { otherAccountOf } from "../aws/other-account.ts";
import { left, outputOf, type SmokeCheck, type SmokeContext } from "../context.ts";
import { NAMES, OUTPUTS } from "../names.ts";
import { deploy } from "./deploy.ts";

/** A poller with subscribers. Only once all of them are there it is given credentials: so each of them gets every event. */
export const poller: SmokeCheck = {
  name: "poller",
  needs: [],
  after: ["service"],
  deadline: 900_000,
  async run(context, { signal, until }) {
    const { aws, options, webhookToken } = context;
    const secret = { Name: NAMES.webhookSecret, SecretString: JSON.stringify({ token: webhookToken }) };
    await until("the webhook's secret, whose name an earlier run may just have given back", () =>
      aws.secrets.send(new CreateSecretCommand(secret)).catch(isNotYetFree),
    );
    if (options.otherProfile !== undefined) {
      left(context.deployed, "the service").otherAccount = await otherAccountOf(options.otherProfile);
    }
    await deploy(context, NAMES.pollerStack, signal);
    await deploy(context, NAMES.foreignStack, signal);
    context.queue = openInbox(aws.sqs, outputOf(context, "queue", OUTPUTS));
    context.foreign = openInbox(aws.sqs, outputOf(context, "foreignQueue", OUTPUTS));
    await fillCredentials(context);
    return `${NAMES.pollerStack} and ${NAMES.foreignStack} are deployed, the credentials are filled in`;
  },
};

/** A secret that was deleted for good keeps its name for a moment. */
function isNotYetFree(error: unknown): undefined {
  if (error instanceof InvalidRequestException) return undefined;
  throw error;
}

export async function fillCredentials(context: SmokeContext): Promise<void> {
  const { clientId, clientSecret } = context.service;
  const SecretString = JSON.stringify({ clientId, clientSecret });
  const SecretId = outputOf(context, "credentials", OUTPUTS);
  await context.aws.secrets.send(new PutSecretValueCommand({ SecretId, SecretString }));
}
