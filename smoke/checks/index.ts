import type { SmokeCheck } from "../context.ts";
import { alarms } from "./alarms.ts";
import { busLog } from "./bus-log.ts";
import { crossAccount } from "./cross-account.ts";
import { deadLetterAlarm } from "./dead-letter-alarm.ts";
import { deployed } from "./deployed.ts";
import { destroyAndImport } from "./destroy-and-import.ts";
import { failureDestination } from "./failure-destination.ts";
import { keptRecords } from "./kept-records.ts";
import { largeToEndpoint, largeToFunction, largeToQueue } from "./large.ts";
import { metrics } from "./metrics.ts";
import { overlap } from "./overlap.ts";
import { permissionsSimulated } from "./permissions.ts";
import { permissionsUsed } from "./permissions-used.ts";
import { poller } from "./poller.ts";
import { replay } from "./replay.ts";
import { schedule } from "./schedule.ts";
import { schema } from "./schema.ts";
import { service } from "./service.ts";
import { webhookSecret } from "./webhook-secret.ts";

const besideEachOther: readonly SmokeCheck[] = [
  deployed,
  service,
  poller,
  schedule,
  permissionsSimulated,
  schema,
  largeToQueue,
  largeToFunction,
  largeToEndpoint,
  webhookSecret,
  overlap,
  keptRecords,
  metrics,
  alarms,
  deadLetterAlarm,
  failureDestination,
  permissionsUsed,
  busLog,
  crossAccount,
  replay,
];

/** All of them, in the order in which each finds what it needs. The last one takes away what the others use. */
export const checks: readonly SmokeCheck[] = [
  ...besideEachOther,
  { ...destroyAndImport, waitsFor: besideEachOther.map(({ name }) => name) },
];
