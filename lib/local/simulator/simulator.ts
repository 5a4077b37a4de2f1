import { createServer } from "node:http";
import { listenHere } from "../listen.ts";
import { createFaults } from "./faults.ts";
import { createRandom } from "./hashing.ts";
import { createModel, type ModelOptions } from "./model.ts";
import { createRequestLog, createService } from "./service.ts";
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
export type Simulator = Awaited<ReturnType<typeof startSimulator>>;

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
export async function startSimulator(options: SimulatorOptions = {}) {
  const { port = 0, clientId = "simulator", clientSecret = "simulator-secret", now = Date.now } = options;
  const log = createRequestLog();
  const { answer, ...model } = createModel(options);
  const faults = createFaults(createRandom(options.seed ?? 1));
  const tokens = createTokens(clientId, clientSecret, model.settings, now);
  const context = { clientId, clientSecret, settings: model.settings, now, faults, tokens, log, operate: answer };
  const server = await listenHere(createServer(createService(context)), port);
  return {
    ...model,
    url: `http://127.0.0.1:${server.port}`,
    clientId,
    clientSecret,
    /** Adds a fault; the function returned takes it away again. */
    fault: faults.add,
    clearFaults: faults.clear,
    /** Makes every token issued so far a wrong one (400). */
    revokeToken: tokens.revokeAll,
    /** `requests`, each operation, and `status:<code>`. */
    counters: log.counters,
    /** The last requests. */
    log: log.entries,
    resetCounters: log.reset,
    close: server.close,
  };
}
