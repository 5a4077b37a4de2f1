import { setTimeout as sleep } from "node:timers/promises";
import { createShadow, type Shadow } from "./shadow.ts";
import type { Simulator } from "./simulator.ts";

/** Milliseconds from one page to the next, as of a service that is near. */
const PER_PAGE = 25;

/** The poller with a cursor, which polls whenever the service is asked for its survey list. */
export function runShadow(simulator: Simulator): { shadow: Shadow; stop(): void } {
  const shadow = createShadow({
    surveyIds: simulator.surveyIds,
    page: (surveyId, page) => simulator.peek(surveyId, page, "desc"),
    pause: () => sleep(PER_PAGE, undefined, { ref: false }),
  });
  const stops = [
    simulator.onSurveyList(() => void shadow.poll()),
    simulator.onChange(({ kind, surveyId, responseId, at }) => {
      if (kind === "completed") shadow.completed(surveyId, responseId, at);
      else shadow.removed(surveyId, responseId);
    }),
  ];
  return {
    shadow,
    stop() {
      for (const stop of stops) stop();
    },
  };
}
