import type { AccountState } from "../polling/model/account.ts";
import type { Ports, SealedEvent } from "../polling/ports.ts";
import { detectionLag, type LagBasis } from "./detection-lag.ts";

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

/** The ports of a source with an eye on what passes through: polling itself knows nothing of being watched. */
export function watchPorts(ports: Ports): { ports: Ports; seen: Sightings } {
  const seen: Sightings = { emitted: 0, quarantined: 0, refused: 0, held: 0, lags: [], basis: {} };
  const lags = new WeakMap<SealedEvent, number>();
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
        const lag = detectionLag(event.detail, seen.basis);
        if (lag !== undefined) lags.set(sealed, lag);
        return sealed;
      },
      async publish(events, guard) {
        const outcomes = await publisher.publish(events, guard);
        for (const [i, event] of events.entries()) {
          if (outcomes[i]?.kind !== "published") continue;
          seen.emitted += 1;
          const lag = lags.get(event);
          if (lag !== undefined) seen.lags.push(lag);
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
