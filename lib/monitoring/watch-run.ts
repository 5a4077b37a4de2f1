import type { BacklogRound, Ports, TickSummary } from "../polling/index.ts";
import { fromLevel, type Log, type LogLevel } from "./log.ts";
import { countRequests, endMetrics, type RunEnd, seenMetrics } from "./run-metrics.ts";
import { watchProgress } from "./sightings.ts";
import { type FailingSince, noteTurns, stalledFor } from "./stalled.ts";
import { logRound, logTick } from "./tick-log.ts";
import { type Writing, writeMetrics } from "./write-metrics.ts";

type WatchedSource = { name: string; rescan: { full: number }; logLevel: LogLevel };

/** Failing surveys as this process knows them. Sources are told apart by their object, of which a process makes one each. */
const failing = new WeakMap<WatchedSource, FailingSince>();

/** Watches one run over a source, a tick or a round of catching up: what it tells of, and its requests. */
export function watchRun(given: Ports, source: WatchedSource, to: Writing & { logger: Log }) {
  const logger = fromLevel(source.logLevel, to.logger);
  const { ports, seen } = watchProgress(given, source.name, logger);
  const since: FailingSince = failing.get(source) ?? new Map();
  failing.set(source, since);
  const { requests, stop } = countRequests();
  let end: RunEnd | undefined;
  return {
    /** The ports that the run is to work with. */
    ports,
    /** By the level of the source. */
    logger,
    ended(summary: TickSummary): void {
      const now = ports.clock.now();
      // Of a tick that another invocation does nothing is known.
      const stalled =
        summary.isBusy === true ? 0 : stalledFor({ summary, seen, failing: since, fullEvery: source.rescan.full, now });
      end = { summary, stalled };
      logTick(logger, { summary, seen, requests, stalled, now });
    },
    roundEnded(round: BacklogRound): void {
      noteTurns(round, since, ports.clock.now());
      end = { round };
      logRound(logger, round, seen, requests);
    },
    /** A tick ended by a failure of the whole source. */
    failed(error: unknown): void {
      end = { error };
    },
    /** Writes the metrics, whatever came of the run. To be called once, at its end. */
    publish(): void {
      stop();
      const values = [...(end === undefined ? [] : endMetrics(end)), ...seenMetrics(seen, requests)];
      writeMetrics({ source: source.name }, to, values);
    },
  };
}
