/** What the smoke makes in an account has these names, so that it can be found and removed whatever has happened. */
export const NAMES = {
  serviceStack: "SurveyPollerSmokeService",
  pollerStack: "SurveyPollerSmoke",
  foreignStack: "SurveyPollerSmokeForeign",
  otherAccountStack: "SurveyPollerSmokeOtherAccount",
  bus: "survey-poller-smoke",
  /** Holds what the endpoint asks for. */
  webhookSecret: "SurveyPollerSmoke/webhook",
  webhook: "recorder",
  eventSource: "survey-poller-smoke",
} as const;

/** Outputs of the stacks. The construct has its own, under other names. */
export const OUTPUTS = {
  serviceUrl: "SmokeServiceUrl",
  recorderUrl: "SmokeRecorderUrl",
  recordedTable: "SmokeRecordedTable",
  busArn: "SmokeBusArn",
  archiveArn: "SmokeArchiveArn",
  pollFunction: "SmokePollFunction",
  pollLogGroup: "SmokePollLogGroup",
  table: "SmokeTable",
  bucket: "SmokeBucket",
  deadLetters: "SmokeDeadLetters",
  credentials: "SmokeCredentials",
  token: "SmokeToken",
  queue: "SmokeQueue",
  undelivered: "SmokeUndelivered",
  deployment: "SmokeDeployment",
  foreignQueue: "SmokeForeignQueue",
  foreignRule: "SmokeForeignRule",
  otherQueue: "SmokeOtherQueue",
} as const;
