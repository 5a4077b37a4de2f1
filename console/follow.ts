import type { Simulator } from "../local/simulator/index.ts";
import { runShadow, type Shadow } from "../local/simulator/index.ts";
import type { EventRow, ShadowView } from "./changes.ts";
import { createComparison } from "./compare.ts";

/** A poller with a cursor beside this one, and how the two compare. */
export interface Follower {
  shadow: Shadow;
  event(row: EventRow): void;
  view(repeated: number): ShadowView;
  stop(): void;
}

export function followShadow(simulator: Simulator): Follower {
  const { shadow, stop } = runShadow(simulator);
  const comparison = createComparison(shadow);
  // After the shadow's own listener, so that it knows by now whether it counts this one.
  const stopListening = simulator.onChange(({ kind, surveyId, responseId }) => comparison[kind](surveyId, responseId));
  return {
    shadow,
    event: comparison.event,
    view(repeated) {
      const { twice, misses } = shadow.summary();
      const { completed, cursor, ours } = comparison.fates();
      return { completed, misses, cursor: { ...cursor, twice }, ours: { ...ours, twice: repeated } };
    },
    stop() {
      stopListening();
      stop();
    },
  };
}
