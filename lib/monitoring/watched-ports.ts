import type { AccountState } from "../polling/model/account.ts";
import type { OutgoingEvent } from "../polling/model/outgoing-event.ts";
import type { Ports, PublishOutcome, SealedEvent } from "../polling/ports.ts";
import { detectionLag, type LagBasis } from "./detection-lag.ts";
import type { Log } from "./log.ts";

/** What a run was seen to do, also one that failed in the end. */
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
  /** What of it holds although the run writes it. */
  basis: LagBasis;
}

/** An event on its way. */
interface Watched {
  ids: EventIds;
  lag: number | undefined;
}

/** Which event it is: ids, and nothing of what it holds. */
interface EventIds {
  type: string;
  surveyId: number;
  responseId?: number;
  eventId: string;
  revision?: number;
}

/** The ports of a source with an eye on what passes through: polling itself knows nothing of being watched. */
export function watchPorts(ports: Ports, source: string, logger: Log): { ports: Ports; seen: Sightings } {
  const seen: Sightings = { emitted: 0, quarantined: 0, refused: 0, held: 0, lags: [], basis: {} };
  const events = new WeakMap<SealedEvent, Watched>();
  const { state, publisher, observe } = ports;
  const watched: Ports = {
    ...ports,
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
    },
    publisher: {
      async seal(event) {
        const sealed = await publisher.seal(event);
        const lag = event.type === "response.completed" ? detectionLag(event.detail, seen.basis) : undefined;
        events.set(sealed, { ids: idsOf(event), lag });
        return sealed;
      },
      async publish(batch, guard) {
        const outcomes = await publisher.publish(batch, guard);
        for (const [i, sealed] of batch.entries()) {
          const event = events.get(sealed);
          logger.debug("event", { source, ...event?.ids, ...told(outcomes[i]) });
          if (outcomes[i]?.kind !== "published" || sealed.type !== "response.completed") continue;
          seen.emitted += 1;
          if (event?.lag !== undefined) seen.lags.push(event.lag);
        }
        return outcomes;
      },
    },
    observe(progress) {
      if (progress.kind === "quarantined") seen.quarantined += 1;
      if (progress.kind === "refused") seen.refused += 1;
      if (progress.kind === "held") seen.held += progress.count;
      observe(progress);
    },
  };
  return { ports: watched, seen };
}

function idsOf({ type, detail: { meta, data } }: OutgoingEvent): EventIds {
  const { responseId } = data as { responseId?: number };
  const { revision } = meta as { revision?: number };
  return {
    type,
    surveyId: data.surveyId,
    ...(responseId === undefined ? {} : { responseId }),
    eventId: meta.eventId,
    ...(revision === undefined ? {} : { revision }),
  };
}

/** What the bus has said of an event: "published", "refused" or "failed", and with which code. */
function told(outcome: PublishOutcome | undefined): Record<string, string> {
  const { kind, ...code } = outcome ?? { kind: "failed" };
  return { outcome: kind, ...code };
}
