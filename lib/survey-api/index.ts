/** A client of the survey service: complete, and of use without the rest of this package. */

export { baseUrlProblem, normalBaseUrl } from "./base-url.ts";
export type {
  Block,
  FullSurvey,
  Page,
  Question,
  QuestionListItem,
  QuestionListItemParams,
  QuestionParams,
  ReportListItem,
  ReportMetric,
  ResponseMetadata,
  ResponseMetric,
  ResponseRecord,
  ResponseScore,
  SurveyListItem,
  Translatable,
} from "./bodies/resources.ts";
export { createSurveyApi, type SurveyApi, type SurveyApiV2 } from "./client.ts";
export type { Coordination, SharedPause, TokenRenewal } from "./coordination.ts";
export { type PauseEvent, pauseChannel, type RequestEvent, requestChannel } from "./diagnostics.ts";
export * from "./errors.ts";
export { defaultRetryPolicy, type RetryOptions, type RetryPolicy } from "./http/retry-policy.ts";
export type { Timeouts } from "./http/transport.ts";
export type { CallOptions, SingleResponse, V2Answer } from "./operations.ts";
export type { SurveyApiOptions } from "./options.ts";
export { type DataOperation, type Operation, type Order, operations, type ParametersOf } from "./paths.ts";
export type { LearnedRate } from "./rate/allowed-rate.ts";
export type { Priority } from "./rate/limiter.ts";
export type { Credentials } from "./token/token-request.ts";
export type { RenewedToken, StoredToken, TokenStore } from "./token/tokens.ts";
