export type { Config, ConfigInput, SourceConfig, SourceInput, SubscribersConfig, WebhookConfig } from "./config.ts";
export type { FoundProblem } from "./cross-checks.ts";
export { ConfigError, type ConfigProblem } from "./error.ts";
export { parseConfig } from "./parse.ts";
export { readConfigFile } from "./read-file.ts";
