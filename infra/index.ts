export { ConfigError, type ConfigInput, type ConfigProblem, type SourceInput } from "../lib/config/index.ts";
export { keyPolicyStatements } from "./encryption.ts";
export type { DeploymentSettings, OnRemoval, SurveyPollerProps, SurveyPollerResources } from "./props.ts";
export type { SecretReference, SourceSecrets } from "./source-secrets.ts";
export { SurveyPollerStack, type SurveyPollerStackProps } from "./stack.ts";
export { createStateTable, type StateTableProps } from "./storage.ts";
export type { ResponseCompletedProps, Subscription } from "./subscriptions/subscribe.ts";
export { SurveyEvents, type SurveyEventsProps } from "./subscriptions/survey-events.ts";
export { SurveyPoller } from "./survey-poller.ts";
