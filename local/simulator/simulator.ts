import { createCounts } from "./counts.ts";
import { defaultSettings, withSettings } from "./default-settings.ts";
import { createFaults, type Fault } from "./faults.ts";
import { createRandom, hash32 } from "./hashing.ts";
import { startHttpServer } from "./http-server.ts";
import { type Change, createLife, type Life } from "./life.ts";
import { createOperations } from "./operations.ts";
import type { PageHook } from "./page-hooks.ts";
import { peekPage } from "./page-reads.ts";
import { createRequestLog, type RequestLogEntry } from "./request-log.ts";
import type { ListedRecord } from "./responses.ts";
import { createService } from "./service.ts";
import type { Settings, SettingsPatch } from "./settings.ts";
import type { Survey, SurveySpec, SurveyTally } from "./survey.ts";
import { createTokens } from "./tokens.ts";
import { responseTruth, type TruthResponse, truthOf } from "./truth.ts";

export interface SimulatorOptions {
  /** Everything that looks random comes from it; default 1. */
  seed?: number;
  /** Default 0: a free one. */
  port?: number;
  surveys?: readonly SurveySpec[];
  settings?: SettingsPatch;
  /** Default "simulator". */
  clientId?: string;
  /** Default "simulator-secret". */
  clientSecret?: string;
  /** The service's clock in epoch milliseconds; default Date.now. */
  now?: () => number;
  /** How many requests `log()` keeps; default 10,000; 0: counters alone. */
  logLimit?: number;
}

/** A running survey service. */
export interface Simulator extends Life {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  settings(): Settings;
  /** Changes settings from the next request on. Throws a RangeError for impossible ones. */
  set(settings: SettingsPatch): void;
  /** Adds a fault; the function returned takes it away again. */
  fault(fault: Fault): () => void;
  clearFaults(): void;
  /** Makes every token issued so far a wrong one (400). */
  revokeToken(): void;
  /** Ends the lifetime of every token issued so far (400). */
  expireToken(): void;
  /** Runs `hook` at each page read: what it changes is seen by the next read (after, default) or by this one (before). */
  onPageRead(hook: PageHook, when?: "before" | "after"): () => void;
  /** Runs `hook` whenever the survey list is given out. */
  onSurveyList(hook: () => void): () => void;
  /** Runs `hook` whenever a response is completed or removed. */
  onChange(hook: (change: Change) => void): () => void;
  /** The records of a page as they stand now: no request, counted and seen by nobody. */
  peek(surveyId: number, page: number, order: "asc" | "desc"): ListedRecord[];
  surveyIds(): number[];
  tally(surveyId: number): SurveyTally;
  openIds(surveyId: number): number[];
  /** Every completed response (of one survey) with its full contents. */
  truth(surveyId?: number): TruthResponse[];
  /** One completed response, however large its survey. */
  truthOf(surveyId: number, responseId: number): TruthResponse | undefined;
  /** `requests`, each operation, `status:<code>`, and `records`: how many records were built for answers. */
  counters(): Record<string, number>;
  log(): RequestLogEntry[];
  resetCounters(): void;
  dropIdleConnections(): void;
  close(): Promise<void>;
}

/**
 * Starts a survey service on 127.0.0.1 that answers as the API document says.
 *
 * @example
 * const simulator = await startSimulator({ surveys: [{ surveyId: 7, responses: 250 }] });
 * simulator.set({ sortKey: "dateCompleted", openListed: true });
 * simulator.fault({ kind: "status", status: 500, operation: "metrics", count: 2 });
 * const [responseId] = simulator.complete(7);
 * await simulator.close();
 */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const { seed = 1, port = 0, clientId = "simulator", clientSecret = "simulator-secret", now = Date.now } = options;
  let current = withSettings(defaultSettings, options.settings ?? {});
  const settings = () => current;
  const surveys = new Map<number, Survey>();
  const changes = new Set<(change: Change) => void>();
  const changed = (change: Change) => {
    for (const hook of changes) hook(change);
  };
  const life = createLife(surveys, { seed, settings, now, changed });
  for (const spec of options.surveys ?? []) life.addSurvey(spec);

  const log = createRequestLog(options.logLimit ?? 10_000);
  const faults = createFaults(createRandom(seed));
  const tokens = createTokens(clientId, clientSecret, settings, now);
  const counts = createCounts(settings, now);
  counts.freeze(surveys.values());
  const hooks = {
    before: new Set<PageHook>(),
    after: new Set<PageHook>(),
    reads: new Map<number, number>(),
    lists: new Set<() => void>(),
  };
  // A source of its own: the faults of a seed meet the same requests, whether or not anything is mixed up.
  const random = createRandom(hash32(seed, 92));
  const operate = createOperations({ surveys, settings, counts, hooks, log, random });
  const service = createService({ clientId, clientSecret, settings, now, faults, tokens, log, operate });
  const server = await startHttpServer(port, service);

  const surveyOf = (surveyId: number): Survey => {
    const survey = surveys.get(surveyId);
    if (survey === undefined) throw new Error(`there is no survey ${surveyId}`);
    return survey;
  };

  return {
    ...life,
    url: server.url,
    clientId,
    clientSecret,
    settings,
    set(patch) {
      current = withSettings(current, patch);
      if (patch.counts !== undefined) counts.freeze(surveys.values());
    },
    fault: faults.add,
    clearFaults: faults.clear,
    revokeToken: tokens.revokeAll,
    expireToken: tokens.expireAll,
    onPageRead(hook, when = "after") {
      hooks[when].add(hook);
      return () => void hooks[when].delete(hook);
    },
    onSurveyList(hook) {
      hooks.lists.add(hook);
      return () => void hooks.lists.delete(hook);
    },
    onChange(hook) {
      changes.add(hook);
      return () => void changes.delete(hook);
    },
    peek: (surveyId, page, order) => peekPage(surveyOf(surveyId), page, order, current),
    addSurvey(spec) {
      life.addSurvey(spec);
      counts.freeze([surveyOf(spec.surveyId)]);
    },
    surveyIds: () => [...surveys.keys()],
    tally: (surveyId) => ({ ...surveyOf(surveyId).tally }),
    openIds: (surveyId) =>
      [...surveyOf(surveyId).ids()].filter((id) => surveyOf(surveyId).find(id)?.completedAt === null),
    truth: (surveyId) => truthOf(surveyId === undefined ? surveys.values() : [surveyOf(surveyId)], current),
    truthOf: (surveyId, responseId) => responseTruth(surveyOf(surveyId), surveyOf(surveyId).find(responseId), current),
    counters: log.counters,
    log: log.entries,
    resetCounters: log.reset,
    dropIdleConnections: server.dropIdleConnections,
    close: server.close,
  };
}
