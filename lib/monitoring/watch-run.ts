import type { Ports } from "../polling/ports.ts";
import type { TickSummary } from "../polling/tick/tick-summary.ts";
import type { MonitoringLevel } from "./catalog.ts";
import type { Log } from "./log.ts";
import { countRequests } from "./request-counts.ts";
import { endMetrics, ofLevel, seenMetrics, type TickEnd } from "./run-metrics.ts";
import { type FailingSince, stalledFor } from "./stalled.ts";
import { lagDetails, logTick } from "./tick-log.ts";
import { watchPorts } from "./watched-ports.ts";
import { writeMetrics } from "./write-metrics.ts";

/** What a run is watched for. */
export interface WatchedSource {
  name: string;
  patrol: { full: number };
}

export interface RunWatch {
  /** What the run is to work with. */
  ports: Ports;
  /** A tick came to its end: tells the log what it came to. */
  ended(summary: TickSummary, logger: Log): void;
  /** A tick ended by a failure of the whole source. */
  failed(error: unknown): void;
  /** What a slice's line in the log has beside its own counts. */
  details(): Record<string, unknown>;
  /** Writes the metrics, whatever came of the run. To be called once, at its end. */
  publish(): void;
}

/** What this process knows of failing surveys; sources are told apart by their object, of which a process makes one each. */
const failing = new WeakMap<WatchedSource, FailingSince>();

/** Watches one run over a source, a tick or a slice: its ports and its requests. */
export function watchRun(given: Ports, source: WatchedSource, level: MonitoringLevel = "minimal"): RunWatch {
  const { ports, seen } = watchPorts(given);
  const { counts: requests, stop } = countRequests();
  let end: TickEnd | undefined;
  return {
    ports,
    ended(summary, logger) {
      const since: FailingSince = failing.get(source) ?? new Map();
      failing.set(source, since);
      const now = ports.clock.now();
      const stalled = stalledFor({ summary, seen, failing: since, fullEvery: source.patrol.full, now });
      end = { summary, stalled };
      logTick(logger, { summary, seen, requests, stalled, now });
    },
    failed(error) {
      end = { error };
    },
    details: () => ({ ...lagDetails(seen), requests }),
    publish() {
      stop();
      const values = [...(end === undefined ? [] : endMetrics(end)), ...seenMetrics(seen, requests)];
      writeMetrics(source.name, ofLevel(values, level));
    },
  };
}
