import { CheckFailedError } from "../run/check.ts";
import { createClients } from "./clients.ts";
import { describeStack } from "./stacks.ts";

/** What `cdk bootstrap` makes. */
const TOOLKIT = "CDKToolkit";

/** The id of the account that a profile is of. It must be bootstrapped: a stack is deployed there. */
export async function otherAccountOf(profile: string): Promise<string> {
  const toolkit = await describeStack(createClients(profile).cloudFormation, TOOLKIT);
  const account = toolkit?.StackId?.split(":")[4];
  if (account !== undefined) return account;
  throw new CheckFailedError(
    `the account of profile ${profile} is not bootstrapped`,
    `AWS_PROFILE=${profile} npx cdk bootstrap -c config=my-survey.json`,
  );
}
