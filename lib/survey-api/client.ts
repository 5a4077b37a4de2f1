import { setTimeout as sleepFor } from "node:timers/promises";
import { alone } from "./coordination.ts";
import { createTransport } from "./http/transport.ts";
import { type CallOptions, type Calls, createCalls } from "./operations.ts";
import { checkOptions, isLearned, type SurveyApiOptions } from "./options.ts";
import type { LearnedRate } from "./rate/allowed-rate.ts";
import { createAuthorized, unlessAborted } from "./token/authorized.ts";
import { requestToken } from "./token/token-request.ts";
import { createTokens, type RenewedToken, type TokenStore } from "./token/tokens.ts";

/** Each client keeps its token to itself. */
const noStore: TokenStore = { read: async () => undefined, write: async () => undefined };

export interface SurveyApi extends Calls {
  /** Operation 1: the token in use, asked for or renewed if need be. The other functions call it when they need it. */
  token(options?: CallOptions): Promise<string>;
  /** Operation 1: asks for a token in the place of the one in use, however good that is, and keeps it. Tells until when it holds, and not the token. */
  renewToken(): Promise<RenewedToken>;
  /** The rate that the service allows, as its refusals (429) taught it; undefined while there were none. Plain JSON, for `learn()`. */
  learned(): LearnedRate | undefined;
  /** Goes on with what another client of the service has learned, in the place of what this one has. What cannot be understood is left alone. */
  learn(learned: LearnedRate): void;
  /** Nothing goes out before `at` (epoch milliseconds; an hour from now at most), as another client was told. It only ever prolongs a pause. */
  pauseUntil(at: number): void;
  /** Closes the connections once the requests under way are done. */
  close(): Promise<void>;
}
/** The functions of the legacy family (section 4.2). */
export type SurveyApiV2 = SurveyApi["v2"];

/**
 * Makes a client of the survey service. It makes no request before it is asked to. Every function is one operation of the API document,
 * whose number is told. It makes one request unless the service fails, refuses or asks for another token.
 *
 * Rejects with a `SurveyApiError`:
 *
 * - `NotFoundError` for 404, `BadRequestError` for 400, `NotAllowedError` for 401;
 * - `WrongCredentialsError`, `WrongTokenError` and `TooManyRenewalsError` when no token can be had;
 * - `TooManyRequestsError`, `ServerError`, `NetworkError`, `TimeoutError` after the attempts of the retry policy;
 * - `AnswerMismatchError` for an answer about something else than what was asked for;
 * - `UnreadableBodyError` for an answer that cannot be understood.
 *
 * Its `code`, `status`, `operation`, `attempts`, `retryable` and `hint` say the rest. Identifiers that no path can hold throw a RangeError.
 *
 * @throws OptionsError when an option cannot work
 * @example
 * const api = createSurveyApi({ baseUrl: "https://surveys.example.com", credentials: { clientId, clientSecret } });
 * for (const { surveyId, name } of await api.surveys()) console.log(surveyId, name);
 * await api.close();
 */
export function createSurveyApi(options: SurveyApiOptions): SurveyApi {
  const now = options.now ?? Date.now;
  const coordination = options.coordination ?? alone;
  const { credentials, strict = false } = options;
  const transport = createTransport({
    ...checkOptions(options),
    onPause: (pause) => coordination.onPause(pause),
    now,
    monotonic: options.monotonic ?? (() => performance.now()),
    sleep: options.sleep ?? ((ms, signal) => sleepFor(ms, undefined, signal === undefined ? {} : { signal })),
    random: options.random ?? Math.random,
  });
  const tokens = createTokens({
    store: options.tokenStore ?? noStore,
    request: async () => requestToken(transport, typeof credentials === "function" ? await credentials() : credentials),
    coordination,
    now,
  });
  return {
    ...createCalls(createAuthorized(transport, tokens), strict),
    async token({ signal } = {}) {
      signal?.throwIfAborted();
      return unlessAborted(tokens.current(), signal);
    },
    renewToken: () => tokens.replace(),
    learned: transport.learned,
    learn(learned) {
      if (isLearned(learned)) transport.learn(learned);
    },
    pauseUntil: (at) => void transport.pause(Math.max(0, at - now())),
    close: transport.close,
  };
}
