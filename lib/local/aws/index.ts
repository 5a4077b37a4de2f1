export type { EventEnvelope } from "../../events/envelope.ts";
export { clearDataFolder, DataFolderInUseError, storeFailure } from "./data-folder.ts";
export type { Middleware, Service } from "./door.ts";
export { type EmbeddedAws, type EmbeddedAwsOptions, startEmbeddedAws } from "./embedded-aws.ts";
export type { EventSink } from "./event-bridge/event-bridge.ts";
