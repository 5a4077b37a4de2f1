import type { Credentials } from "../../../lib/survey-api/index.ts";
import { givenCredentials } from "../../credentials/given.ts";
import { credentialVariables } from "../../credentials/variables.ts";
import { UsageError } from "../../flags.ts";
import type { Io } from "../../io.ts";

/**
 * Credentials of the environment, or of whoever sits at the terminal; never of a pipe, which may not end.
 *
 * @throws UsageError where nobody can be asked for them
 */
export async function credentialsFor(secretId: string, io: Io): Promise<Credentials> {
  const { environment, input, talk: output } = io;
  const isNone = Object.keys(credentialVariables(undefined, environment)).length === 0;
  if (isNone && !io.isInteractive) {
    const hint = "Set SURVEY_CLIENT_ID and SURVEY_CLIENT_SECRET; in a terminal they are asked for.";
    throw new UsageError("there are no credentials for the service", { hint });
  }
  return (await givenCredentials({ source: undefined, environment, secretId, input, output })).credentials;
}
