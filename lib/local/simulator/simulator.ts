import { createFaults, type Fault } from "./faults.ts";
import { createRandom } from "./hashing.ts";
import { startHttpServer } from "./http-server.ts";
import { createModel, type Model, type ModelOptions } from "./model.ts";
import { createRequestLog, createService, type RequestLogEntry } from "./service.ts";
import { createTokens } from "./tokens.ts";

export interface SimulatorOptions extends ModelOptions {
  /** Default 0: a free one. */
  port?: number;
  /** Default "simulator". */
  clientId?: string;
  /** Default "simulator-secret". */
  clientSecret?: string;
}

/** A running survey service. */
export interface Simulator extends Omit<Model, "answer"> {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Adds a fault; the function returned takes it away again. */
  fault(fault: Fault): () => void;
  clearFaults(): void;
  /** Makes every token issued so far a wrong one (400). */
  revokeToken(): void;
  /** `requests`, each operation, and `status:<code>`. */
  counters(): Record<string, number>;
  /** The last requests. */
  log(): readonly RequestLogEntry[];
  resetCounters(): void;
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
  const { port = 0, clientId = "simulator", clientSecret = "simulator-secret", now = Date.now } = options;
  const log = createRequestLog();
  const { answer, ...model } = createModel(options);
  const faults = createFaults(createRandom(options.seed ?? 1));
  const tokens = createTokens(clientId, clientSecret, model.settings, now);
  const context = { clientId, clientSecret, settings: model.settings, now, faults, tokens, log, operate: answer };
  const server = await startHttpServer(port, createService(context));
  return {
    ...model,
    url: server.url,
    clientId,
    clientSecret,
    fault: faults.add,
    clearFaults: faults.clear,
    revokeToken: tokens.revokeAll,
    counters: log.counters,
    log: log.entries,
    resetCounters: log.reset,
    close: server.close,
  };
}
