import type { AccountState, Ports, SealedEvent } from "../polling/index.ts";
import { detectionLag, type LagBasis } from "./detection-lag.ts";
import { eventLines, type Facts, factsOf } from "./event-lines.ts";
import type { Log } from "./log.ts";
import { createStories, type Stories } from "./story.ts";
import { watchService } from "./watch-service.ts";

/** The work that a run was seen to do, also of one that failed in the end. */
export interface Sightings {
  emitted: number;
  quarantined: number;
  /** Responses whose events the bus has refused for good. */
  refused: number;
  /** Responses whose contents nothing proves: they are held from now on. */
  held: number;
  /** Milliseconds of each event whose lag can be told. */
  lags: number[];
  /** The account as it was read first; undefined when it never was. Its rows become those of the run. */
  account?: AccountState;
  /** The facts that hold although the run writes them. */
  basis: LagBasis;
}

export interface WatchedPorts {
  ports: Ports;
  seen: Sightings;
  /** To be called at the end of the run: writes what of its events is not in the log yet. */
  end(): void;
}

/**
 * The ports of a source with an eye on what passes through: polling itself knows nothing of being watched.
 *
 * @param stories those of earlier runs, as what waited then may go out now
 */
export function watchPorts(
  ports: Ports,
  source: string,
  logger: Log,
  stories: Stories = createStories(),
): WatchedPorts {
  const seen: Sightings = { emitted: 0, quarantined: 0, refused: 0, held: 0, lags: [], basis: {} };
  const events = new WeakMap<SealedEvent, Facts>();
  const lines = eventLines(source, stories, logger);
  const { state, publisher, observe, service, backlog, clock } = ports;
  const services = watchService(clock, stories);
  const watched: Ports = {
    ...ports,
    service: services.of(service),
    ...(backlog === undefined ? {} : { backlog: services.of(backlog) }),
    state: {
      ...state,
      async account() {
        const account = await state.account();
        if (seen.account === undefined) {
          seen.account = account;
          const { firstTick, lastTick } = account;
          seen.basis = {
            ...(firstTick === undefined ? {} : { firstTick }),
            ...(lastTick === undefined ? {} : { lastTick }),
          };
        }
        return account;
      },
      async due(surveyId, ...asked) {
        const entries = await state.due(surveyId, ...asked);
        lines.waiting(surveyId, entries);
        return entries;
      },
      async putEntries(surveyId, entries) {
        const begun = clock.now();
        await state.putEntries(surveyId, entries);
        lines.written(surveyId, entries, clock.now() - begun);
      },
    },
    publisher: {
      async seal(event) {
        const sealed = await publisher.seal(event);
        const lag = event.type === "response.completed" ? detectionLag(event.detail, seen.basis) : undefined;
        events.set(sealed, factsOf(event, lag));
        return sealed;
      },
      async publish(batch, guard) {
        const begun = clock.now();
        const outcomes = await publisher.publish(batch, guard);
        const all = batch.map((sealed) => events.get(sealed));
        lines.published(all, outcomes, clock.now() - begun);
        for (const [i, { type }] of batch.entries()) {
          if (outcomes[i]?.kind !== "published" || type !== "response.completed") continue;
          seen.emitted += 1;
          const lag = all[i]?.lag;
          if (lag !== undefined) seen.lags.push(lag);
        }
        return outcomes;
      },
    },
    observe(progress) {
      if (progress.kind === "quarantined") seen.quarantined += 1;
      if (progress.kind === "refused") seen.refused += 1;
      if (progress.kind === "held") seen.held += progress.count;
      if (progress.kind === "scattered") logger.warn("records scattered", { source, surveyId: progress.surveyId });
      if (progress.kind === "start awaited" || progress.kind === "start") {
        const { kind, ...facts } = progress;
        const isShort = kind === "start awaited" || progress.leftOut !== undefined;
        logger[isShort ? "warn" : "info"](kind, { source, ...facts });
      }
      if (progress.kind === "proved") {
        for (const id of progress.responseIds) stories.of(progress.surveyId, id).proved = progress.by;
      }
      observe(progress);
    },
  };
  return { ports: watched, seen, end: lines.end };
}
