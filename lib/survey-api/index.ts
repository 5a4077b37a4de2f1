/** A client of the survey service: complete, and of use without the rest of this package. */
export type { LearnedRate, Share } from "./allowed-rate.ts";
export { baseUrlProblem, normalBaseUrl } from "./base-url.ts";
export { createSurveyApi } from "./client.ts";
export type { Coordination, RenewalTurn, SharedPause, TokenRenewal } from "./coordination.ts";
export {
  type IrregularEvent,
  irregularChannel,
  type PauseEvent,
  pauseChannel,
  type RequestEvent,
  type RetryEvent,
  requestChannel,
  retryChannel,
  type TokenEvent,
  tokenChannel,
} from "./diagnostics.ts";
export * from "./errors.ts";
export type { JoinedResponse } from "./joined-responses.ts";
export type { Priority } from "./limiter.ts";
export { type DataOperation, type Operation, type Order, operations, type ParametersOf } from "./operations.ts";
export type { Credentials, SurveyApiOptions } from "./options.ts";
export { defaultRetryPolicy, type FailureCode, type RetryOptions, type RetryPolicy } from "./retry-policy.ts";
export * from "./schemas/index.ts";
export type {
  CallOptions,
  RecordsPage,
  SingleResponse,
  SurveyApi,
  SurveyApiV2,
  V2Answer,
} from "./survey-api.ts";
export type { StoredToken } from "./token-life.ts";
export type { TokenStore } from "./tokens.ts";
export type { Timeouts } from "./transport.ts";
