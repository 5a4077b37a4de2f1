import type { RenewedToken, SurveyApi } from "../../survey-api/index.ts";
import { type Finding, notSeen } from "./report.ts";

const DAY = 86_400_000;

/** Operation 1, where a token was asked for on purpose. */
export function renewedFindings({ shape, expiresAt }: RenewedToken, token: string, now: number): Finding[] {
  // Where nothing says it, the client takes what the document says.
  const isSaid = expiresAt !== undefined && Math.abs(expiresAt - now - 30 * DAY) > 60_000;
  const life = lifeFinding(expiryOf(token) ?? (isSaid ? expiresAt : undefined), now);
  return [{ question: "token shape", found: shape, says: shape }, life];
}

/** The same of a token that was there already, which is left alone. */
export function keptFindings(token: string, now: number): Finding[] {
  const shape = notSeen("token shape", "the token that is kept is used; `credentials renew` tells");
  return [shape, lifeFinding(expiryOf(token), now)];
}

function lifeFinding(expiresAt: number | undefined, now: number): Finding {
  const question = "token life";
  if (expiresAt === undefined) return notSeen(question, "the token does not say it; by the document it is 30 days");
  const left = expiresAt - now;
  const text = left >= DAY ? `${Math.round(left / DAY)} d` : `${Math.round(left / 60_000)} min`;
  return { question, found: text, says: `ends at ${new Date(expiresAt).toISOString()}, in ${text}` };
}

/**
 * Whether a new token ends the one before. It may take another client's token from it, which then asks for one of its own.
 *
 * @param api has a token that works
 */
export async function tokensAtOnce(api: SurveyApi, another: SurveyApi): Promise<Finding> {
  const question = "tokens at once";
  const before = await api.token();
  await another.renewToken();
  await api.surveys();
  const isSame = (await api.token()) === before;
  return isSame
    ? { question, found: "several", says: "a new token leaves the one before as it is" }
    : { question, found: "one", says: "a new token ends the one before: give the poller credentials of its own" };
}

/** Epoch milliseconds of the claim `exp` of a JWT. */
function expiryOf(token: string): number | undefined {
  try {
    const { exp } = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8")) as {
      exp?: unknown;
    };
    return typeof exp === "number" ? exp * 1000 : undefined;
  } catch {
    return undefined;
  }
}
