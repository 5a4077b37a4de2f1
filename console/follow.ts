import type { Simulator } from "../local/simulator/index.ts";
import { runShadow, type Shadow } from "../local/simulator/index.ts";
import type { EventRow, ShadowView } from "./changes.ts";

/** The poller's finds among the responses that the poller with the cursor is followed for, by the same count. */
export interface Follower {
  shadow: Shadow;
  event(row: EventRow): void;
  view(repeated: number): ShadowView;
  stop(): void;
}

export function followShadow(simulator: Simulator): Follower {
  const { shadow, stop } = runShadow(simulator);
  const onTheirWay = new Set<string>();
  let found = 0;
  // After the shadow's own listener, so that it knows by now whether it counts this one.
  const stopListening = simulator.onChange(({ kind, surveyId, responseId }) => {
    const key = `${surveyId}/${responseId}`;
    if (kind === "removed") onTheirWay.delete(key);
    else if (shadow.fate(surveyId, responseId) !== undefined) onTheirWay.add(key);
  });
  return {
    shadow,
    event({ type, surveyId, responseId }) {
      if (type === "response.completed" && onTheirWay.delete(`${surveyId}/${responseId}`)) found += 1;
    },
    view: (repeated) => ({ ...shadow.summary(), ours: { found, onTheirWay: onTheirWay.size, repeated } }),
    stop() {
      stopListening();
      stop();
    },
  };
}
