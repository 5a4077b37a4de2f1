export { type Credentials, createSurveyApi, type SurveyApi, type SurveyApiOptions } from "./client.ts";
export { type RequestEvent, requestChannel } from "./diagnostics.ts";
export * from "./errors.ts";
export { type Operation, type Order, operationNumbers } from "./operations.ts";
export type { StoredToken, TokenStore } from "./tokens.ts";
