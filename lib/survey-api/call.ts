import type { ReadBody } from "./bodies/read-body.ts";
import { type Asked, aboutAsked, saysNothing } from "./bodies/subject.ts";
import { BadRequestError, NotAllowedError, NotFoundError } from "./errors.ts";
import type { BodyStream } from "./http/transport.ts";
import { type DataOperation, type ParametersOf, pathOf } from "./operations.ts";
import type { CallOptions } from "./survey-api.ts";
import type { Authorized } from "./token/authorized.ts";

/** Makes the request of one operation, and gives what `readBody` makes of its answer. */
export type Call = <O extends DataOperation, T>(
  operation: O,
  parameters: ParametersOf<O>,
  readBody: ReadBody<T>,
  options?: CallOptions,
  stream?: () => BodyStream<T>,
) => Promise<T>;

/** A call over `send`, which makes the request and says what became of it. Statuses other than 200 and 204 become errors. */
export function createCall(send: Authorized): Call {
  return async (operation, parameters, readBody, { signal, priority = "news" } = {}, stream) => {
    // Before a token is asked for: what no path can hold, and who does not wait any more.
    pathOf(operation, parameters);
    signal?.throwIfAborted();
    const request = { operation, parameters, priority, signal, readBody };
    const answer = await send(stream === undefined ? request : { ...request, stream });
    const about = { operation, status: answer.status, attempts: answer.attempts };
    switch (answer.status) {
      case 200:
        return answer.value;
      case 204:
        return readBody(null, about);
      case 404:
        throw new NotFoundError("not found (404)", { ...about, hint: IS_THERE });
      case 400:
        throw new BadRequestError("bad request (400)", {
          ...about,
          hint: "The token is good: check what was asked for.",
        });
      case 401: {
        const hint = "Ask the service's operator what this account may read.";
        throw new NotAllowedError("the service does not let this account read it (401)", { ...about, hint });
      }
    }
  };
}

const IS_THERE = "Is there such a thing on this account?";

/** Reads of a body what is about what was asked for; one that says nothing is read as `null`, which is what 204 says. */
export function judged<T>(asked: Asked, readBody: ReadBody<T>): ReadBody<T> {
  return (body, about) => readBody(saysNothing(body) ? null : aboutAsked(body, asked, about), about);
}

/** Reads the one thing that was asked for. Where nothing is said of it, it is not there. */
export function oneThing<T>(readBody: ReadBody<T>): ReadBody<T> {
  return (body, about) => {
    if (!saysNothing(body)) return readBody(body, about);
    throw new NotFoundError(`nothing is there (${about.status})`, { ...about, hint: IS_THERE });
  };
}
