import { errorCode, PollerError } from "../../lib/errors.ts";
import { describeFailure } from "../../lib/monitoring/log.ts";
import { type Credentials, createSurveyApi } from "../../lib/survey-api/index.ts";

/** The survey service gave no token for the credentials. */
export class CheckError extends PollerError {
  readonly code: string;
  constructor(cause: unknown, message: string, hint: string) {
    super(message, { cause, hint });
    this.code = errorCode(cause);
  }
}

/**
 * Asks the survey service for a token, which is then thrown away. A service that gives one at a time takes the poller's with that: the poller
 * asks for another.
 *
 * @throws CheckError
 */
export async function checkCredentials(baseUrl: string, credentials: Credentials): Promise<void> {
  const timeouts = { connect: 5_000, headers: 15_000, body: 15_000, call: 20_000 };
  const api = createSurveyApi({ baseUrl, credentials, timeouts });
  try {
    await api.token();
  } catch (error) {
    const { code, message, hint } = describeFailure(error);
    const next =
      code === "WRONG_CREDENTIALS"
        ? "Try again with the right ones."
        : `${hint} Without --base-url they are written unchecked.`;
    throw new CheckError(error, `nothing was written: ${message}`, next);
  } finally {
    await api.close();
  }
}
