import { setTimeout as sleepFor } from "node:timers/promises";
import { createCalls } from "./calls.ts";
import { alone } from "./coordination.ts";
import { createTransport } from "./http/transport.ts";
import { checkOptions, isLearned, type SurveyApiOptions } from "./options.ts";
import type { SurveyApi } from "./survey-api.ts";
import { createAuthorized, unlessAborted } from "./token/authorized.ts";
import { requestToken } from "./token/token-request.ts";
import { createTokens, type TokenStore } from "./token/tokens.ts";

/**
 * Makes a client of the survey service. It makes no request before it is asked to.
 *
 * @throws OptionsError when an option cannot work
 * @example
 * const api = createSurveyApi({
 *   baseUrl: "https://surveys.example.com",
 *   credentials: { clientId: "…", clientSecret: "…" },
 *   maxRequestsPerSecond: 20,
 * });
 */
export function createSurveyApi(options: SurveyApiOptions): SurveyApi {
  const now = options.now ?? Date.now;
  const coordination = options.coordination ?? alone;
  const checked = checkOptions(options);
  const transport = createTransport({
    ...checked,
    onPause: (pause) => coordination.onPause(pause),
    now,
    monotonic: options.monotonic ?? (() => performance.now()),
    sleep: options.sleep ?? ((ms, signal) => sleepFor(ms, undefined, signal === undefined ? {} : { signal })),
    random: options.random ?? Math.random,
  });
  const { credentials, strict = false } = options;
  const tokens = createTokens({
    store: options.tokenStore ?? noStore,
    request: async () => requestToken(transport, typeof credentials === "function" ? await credentials() : credentials),
    coordination,
    now,
  });
  return {
    ...createCalls(createAuthorized(transport, tokens), { strict, maxBodyBytes: checked.maxBodyBytes }),
    token: async ({ signal } = {}) => {
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

/** Each client keeps its token to itself. */
const noStore: TokenStore = { read: async () => undefined, write: async () => undefined };
