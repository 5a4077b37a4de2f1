import { errorCode, PollerError } from "../../errors.ts";
import { CommandError, EXIT } from "../errors.ts";

const NOT_ACCEPTED =
  /ExpiredToken|UnrecognizedClient|InvalidClientTokenId|InvalidSignature|IncompleteSignature|OptInRequired/;

/** A client that is destroyed where its block ends: `using sqs = closing(new SQSClient({}))`. */
export function closing<Client extends { destroy(): void }>(client: Client): Client & Disposable {
  return Object.assign(client, { [Symbol.dispose]: () => client.destroy() });
}

/** Runs requests to AWS. An error of one becomes an error that says what to do next, since the SDK's own message may repeat its input. */
export async function askingAws<T>(what: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw awsFailure(what, error);
  }
}

/** The problem with the AWS credentials or the region, where an error tells of one. */
function credentialsFailure(error: unknown): CommandError | undefined {
  const cause = causeOf(error);
  const name = errorCode(cause);
  const credentials = (code: string, message: string, hint: string): CommandError =>
    new CommandError(code, message, { hint, cause: error }, EXIT.credentials);
  if (/CredentialsProviderError|TokenProviderError/.test(name)) {
    const hint = "Set AWS_PROFILE, or sign in: `aws sso login`.";
    return credentials("AWS_CREDENTIALS_MISSING", "there are no AWS credentials", hint);
  }
  if (cause instanceof Error && /region is missing/i.test(cause.message)) {
    const hint = "Set AWS_REGION to the region of the stack.";
    return new CommandError("AWS_REGION_MISSING", "no AWS region is set", { hint, cause: error }, EXIT.usage);
  }
  if (!NOT_ACCEPTED.test(name)) return undefined;
  const hint = "Sign in again, or set AWS_PROFILE to one that is valid.";
  return credentials("AWS_CREDENTIALS_REFUSED", `AWS does not accept the AWS credentials (${name})`, hint);
}

function causeOf(error: unknown): unknown {
  return error instanceof PollerError && error.cause !== undefined ? error.cause : error;
}

/** @param what "the stack could not be read" */
export function awsFailure(what: string, error: unknown): Error {
  if (error instanceof CommandError) return error;
  const wrong = credentialsFailure(error);
  if (wrong !== undefined) return wrong;
  const name = errorCode(causeOf(error));
  if (/AccessDenied|NotAuthorized|UnauthorizedOperation/.test(name)) {
    const hint = "docs/command.md says which permissions each verb needs.";
    return new CommandError("ACCESS_DENIED", `${what}: access is denied`, { hint, cause: error }, EXIT.credentials);
  }
  if (error instanceof PollerError) return error;
  const hint = "Look at the name, the network and the region.";
  return new CommandError("AWS_FAILED", `${what} (${name})`, { hint, cause: error });
}
