import { outlineText } from "./bodies/index.ts";
import { BadRequestError, NotFoundError, UnreadableBodyError, WrongCredentialsError } from "./errors.ts";
import { operations } from "./operations.ts";
import type { Credentials } from "./options.ts";
import { readTokenBody } from "./token-body.ts";
import type { Transport } from "./transport.ts";

/** Operation 1: asks for a token with these credentials. */
export async function requestToken(transport: Transport, { clientId, clientSecret }: Credentials): Promise<string> {
  const operation = "get token";
  const answer = await transport.send({
    operation,
    method: "POST",
    path: operations[operation].path(),
    headers: () => ({ "content-type": "application/x-www-form-urlencoded" }),
    body: new URLSearchParams({ clientId, clientSecret }).toString(),
    priority: "first",
    signal: undefined,
    read(text, about) {
      const token = readTokenBody(text);
      if (token !== undefined) return token;
      throw new UnreadableBodyError("no token can be found in the answer", {
        ...about,
        // A page stands before the service for a while; another form of answer would be the same the next time.
        retryable: text.trimStart().startsWith("<"),
        excerpt: outlineText(text),
        hint: "Check `baseUrl`: is it the survey service?",
      });
    },
  });
  const about = { operation, status: answer.status, attempts: answer.attempts } as const;
  switch (answer.status) {
    case 200:
      return answer.value;
    case 401:
      throw new WrongCredentialsError("the service refused the client id or the client secret (401)", {
        ...about,
        hint: "Put the right clientId and clientSecret into the credentials.",
      });
    case 400:
      throw new BadRequestError("the token request was refused (400)", {
        ...about,
        hint: "Check `baseUrl` and the credentials.",
      });
    case 404:
      throw new NotFoundError("there is no token endpoint (404)", { ...about, hint: "Check `baseUrl`." });
  }
}
