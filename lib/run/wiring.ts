import { hash } from "node:crypto";
import { channel } from "node:diagnostics_channel";
import { setMaxListeners } from "node:events";
import { setTimeout as sleepFor } from "node:timers/promises";
import { type Bucket, createBucket } from "../aws/bucket.ts";
import type { Clients } from "../aws/clients.ts";
import type { Config, SourceConfig } from "../config/index.ts";
import { secretNames } from "../config/secret-names.ts";
import type { EventType } from "../events/index.ts";
import { LONGEST_WAIT, OutOfTimeError, type PollingSource, type Ports, type SurveyService } from "../polling/index.ts";
import { createEventBridgePublisher } from "../publisher/event-bridge.ts";
import { readCredentials } from "../secrets/credentials.ts";
import { createTokenStore } from "../secrets/token-store.ts";
import { keepDefinitions } from "../service/kept-definitions.ts";
import { CATCH_UP, DETAIL_ATTEMPTS, NEWS, type Priorities, toSurveyService } from "../service/survey-service.ts";
import { createWorkerCoordination } from "../service/worker-coordination.ts";
import { createDynamoState } from "../state/dynamo-state.ts";
import { createShared } from "../state/shared.ts";
import { createSurveyApi, type SurveyApi } from "../survey-api/index.ts";
import type { Environment } from "./environment.ts";
import { personHasher } from "./person-hash.ts";

export type PolledSource = SourceConfig & Pick<PollingSource, "events">;

export interface SourceGraph {
  source: PolledSource;
  /** Fingerprint of the service's base URL. */
  service: string;
  /** The client of the service, for what no poll asks. */
  api: SurveyApi;
  /** The bucket, for what no poll looks for. */
  bucket: Bucket;
  /**
   * Begins a part of an invocation, and gives what that works with. Each request to the service is aborted at `abortsAt` (epoch
   * milliseconds) with an `OutOfTimeError`, so that time is left to bring the state home (R26).
   */
  begin: (abortsAt: number) => Ports;
  /** To be awaited at the end of each part, whatever came of it: tells the other workers what this one has learned. Never rejects. */
  settle: () => Promise<void>;
}

/** The progress that the polling core tells of; of no cost while nobody listens. Messages are `Progress` with the name of the source. */
const progressChannel = channel("survey-poller:progress");

const LONGEST_TIMER = 2 ** 31 - 1;

export function createSourceGraph(source: PolledSource, environment: Environment, clients: Clients): SourceGraph {
  const secrets = secretNames(source, environment.secrets);
  const service = hash("sha256", source.baseUrl, "hex").slice(0, 16);
  const credentials = () => readCredentials(clients.secrets, secrets.credentials, source.name);
  const table = { client: clients.dynamodb, name: environment.tableName };
  const sleep = (milliseconds: number): Promise<void> => sleepFor(milliseconds);
  const workers = createWorkerCoordination(createShared(table, source.name, { now: Date.now, sleep }));
  const api = createSurveyApi({
    baseUrl: source.baseUrl,
    credentials,
    tokenStore: createTokenStore(clients.secrets, secrets.token, async () =>
      hash("sha256", JSON.stringify([source.baseUrl, (await credentials()).clientId]), "hex").slice(0, 32),
    ),
    timeouts: { connect: source.timeouts.connect, headers: source.timeouts.response, body: source.timeouts.response },
    concurrency: source.concurrency,
    ...(source.maxRequestsPerSecond === undefined ? {} : { maxRequestsPerSecond: source.maxRequestsPerSecond }),
    ...(environment.proxy === undefined ? {} : { proxy: environment.proxy }),
    retry: { longestPause: LONGEST_WAIT, operations: DETAIL_ATTEMPTS },
    coordination: workers.coordination,
  });
  const state = createDynamoState(table, source.name);
  const bucket = createBucket(clients.s3, environment.claimCheckBucket);
  const keeping = keepDefinitions(bucket, source.name);
  const people = source.privacy.findBy.length === 0 ? undefined : personHasher(bucket, source);
  const others: Omit<Ports, "service" | "backlog"> = {
    state: {
      ...state,
      async account() {
        const account = await state.account();
        workers.takeOver(account, api);
        return account;
      },
      async acquire(...lease) {
        await people?.load();
        return state.acquire(...lease);
      },
    },
    personHashes: people?.hashes,
    clock: { now: Date.now, every },
    publisher: createEventBridgePublisher({
      client: clients.events,
      bus: environment.busName,
      factsBus: environment.factsBusName,
      eventSource: source.eventSource,
      bucket: environment.claimCheckBucket,
      putObject: bucket.putJson,
      inlineLimit: source.inlineLimit,
      sleep,
    }),
    vault: bucket,
    observe: (progress) => {
      if (progressChannel.hasSubscribers) progressChannel.publish({ source: source.name, ...progress });
    },
  };
  let timer: NodeJS.Timeout | undefined;
  return {
    source,
    service,
    api,
    bucket,
    begin(abortsAt) {
      const ending = new AbortController();
      const { signal } = ending;
      // One for each request that waits or is in flight.
      setMaxListeners(0, signal);
      clearTimeout(timer);
      const left = Math.min(LONGEST_TIMER, Math.max(0, abortsAt - Date.now()));
      timer = setTimeout(() => ending.abort(new OutOfTimeError()), left).unref();
      const serviceFor = (priorities: Priorities): SurveyService => keeping(toSurveyService(api, priorities, signal));
      return { ...others, service: serviceFor(NEWS), backlog: serviceFor(CATCH_UP) };
    },
    async settle() {
      clearTimeout(timer);
      await workers.settle(api);
    },
  };
}

/** The types of events that a configuration lets go out: that of a completed response always does. */
export function eventsOf(switches: Config["events"]): ReadonlySet<EventType> {
  const types = Object.keys(switches) as (keyof Config["events"])[];
  return new Set(["response.completed", ...types.filter((type) => switches[type])]);
}

function every(milliseconds: number, work: () => void): () => void {
  const timer = setInterval(work, milliseconds);
  return () => clearInterval(timer);
}
