import type { AccountState, Ports, Progress, SentEvent } from "../polling/index.ts";
import { detectionLag, type LagBasis } from "./detection-lag.ts";
import type { Log } from "./log.ts";

/** The work that a run has told of, also one that failed in the end. */
export interface Sightings {
  emitted: number;
  quarantined: number;
  /** Responses whose events the bus has refused for good. */
  refused: number;
  /** Responses whose contents nothing proves: they are held from now on. */
  held: number;
  /** Milliseconds of each event whose lag can be told. */
  lags: number[];
  /** The account as it was read; undefined when it never was. Its rows become those of the run. */
  account?: AccountState;
  /** The facts of it that hold although the run writes them. */
  basis: LagBasis;
}

/** The same ports, and what is told through them. Lines of the log that do not wait for the end of the run are written at once. */
export function watchProgress(
  { observe, ...ports }: Ports,
  source: string,
  logger: Log,
): { ports: Ports; seen: Sightings } {
  const seen: Sightings = { emitted: 0, quarantined: 0, refused: 0, held: 0, lags: [], basis: {} };
  const noteSent = (sent: SentEvent): void => {
    const lag = detectionLag(sent, seen.basis);
    const { completed, ...event } = sent;
    if (event.type === "response.completed" && event.outcome === "published") {
      seen.emitted += 1;
      if (lag !== undefined) seen.lags.push(lag);
    }
    const line = { source, ...event, ...(lag === undefined ? {} : { lag }) };
    logger[event.responseId === undefined ? "debug" : "info"]("event", line);
  };
  const watched = (progress: Progress): void => {
    switch (progress.kind) {
      case "account": {
        const { firstTick, lastTick } = progress.account;
        seen.account = progress.account;
        seen.basis = { firstTick, lastTick };
        break;
      }
      case "sent":
        noteSent(progress.event);
        break;
      case "quarantined":
      case "refused":
        seen[progress.kind] += 1;
        break;
      case "held":
        seen.held += progress.count;
        break;
      case "scattered":
        logger.warn("records scattered", { source, surveyId: progress.surveyId });
        break;
      case "start":
      case "start awaited": {
        const { kind, ...facts } = progress;
        const isShort = kind === "start awaited" || progress.leftOut !== undefined;
        logger[isShort ? "warn" : "info"](kind, { source, ...facts });
        break;
      }
    }
    observe(progress);
  };
  return { ports: { ...ports, observe: watched }, seen };
}
