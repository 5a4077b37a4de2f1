export { clearDataFolder, DataFolderInUseError, storeFailure } from "./data-folder.ts";
export { type EmbeddedAws, type EmbeddedAwsOptions, startEmbeddedAws } from "./embedded-aws.ts";
export type { EventEnvelope } from "./event-bridge/envelope.ts";
export type { EventSink } from "./event-bridge/put-events.ts";
export type { Fault, FaultHandle, FaultKind, Faults } from "./faults.ts";
export type { OperationUse } from "./request-log.ts";
export type { Service } from "./services.ts";
