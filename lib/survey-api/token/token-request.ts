import { outline, outlineText } from "../bodies/outline.ts";
import {
  type AboutAnswer,
  BadRequestError,
  NotFoundError,
  UnreadableBodyError,
  WrongCredentialsError,
} from "../errors.ts";
import type { Transport } from "../http/transport.ts";
import { pathOf } from "../paths.ts";
import { type IssuedToken, jsonOf, readTokenBody } from "./token-body.ts";

/** The pair that an account holder gets from the operator of the service. */
export interface Credentials {
  clientId: string;
  clientSecret: string;
}

/** A token, and what the answer looked like that it came in: names and types, no value. */
export interface AnsweredToken extends IssuedToken {
  shape: string;
}

/** Operation 1: asks for a token with these credentials. */
export async function requestToken(
  transport: Transport,
  { clientId, clientSecret }: Credentials,
): Promise<AnsweredToken> {
  const operation = "get token";
  const answer = await transport.send({
    operation,
    method: "POST",
    path: pathOf(operation, {}),
    headers: () => ({ "content-type": "application/x-www-form-urlencoded" }),
    body: new URLSearchParams({ clientId, clientSecret }).toString(),
    priority: "first",
    signal: undefined,
    read(text, about) {
      const found = readTokenBody(text);
      if (found === undefined) throw noToken(text, about);
      return { ...found, shape: shapeOf(text) };
    },
  });
  if (answer.status === 200) return answer.value;
  const about = { operation, status: answer.status, attempts: answer.attempts } as const;
  if (answer.status === 204) throw noToken("", about);
  if (answer.status === 401) {
    const hint = "Put the right clientId and clientSecret into the credentials.";
    throw new WrongCredentialsError("the service refused the client id or the client secret (401)", { ...about, hint });
  }
  if (answer.status === 404)
    throw new NotFoundError("there is no token endpoint (404)", { ...about, hint: "Check `baseUrl`." });
  const hint = "Check `baseUrl` and the credentials.";
  throw new BadRequestError("the token request was refused (400)", { ...about, hint });
}

/** The shape of a body that is no JSON: a form, or the token itself. */
function shapeOf(text: string): string {
  const json = jsonOf(text);
  if (json !== undefined) return outline(json);
  return text.includes("=") ? `form of ${outline(Object.fromEntries(new URLSearchParams(text)))}` : outlineText(text);
}

/** Told by what the answer looks like, without any of its text. */
function noToken(text: string, about: AboutAnswer): UnreadableBodyError {
  const json = jsonOf(text);
  // A page stands before the service for a while, and what is empty or was cut off may be whole the next time.
  const retryable = json === undefined && /^(["[{<]|$)/.test(text.trim());
  return new UnreadableBodyError("the answer holds no token that can be told", {
    ...about,
    retryable,
    excerpt: json === undefined ? outlineText(text) : outline(json),
    hint: retryable
      ? "A proxy or a maintenance page may stand before the service; check `baseUrl`."
      : "Check `baseUrl`: is it the survey service? Otherwise ask its operator whether these credentials give access.",
  });
}
