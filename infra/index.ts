export type { ConfigInput, SourceInput } from "../lib/config.ts";
export { SurveyPollerStack, type SurveyPollerStackProps } from "./stack.ts";
export { SurveyPoller } from "./survey-poller.ts";
