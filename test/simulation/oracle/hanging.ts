import type { ResponseCompleted } from "../../../lib/events/index.ts";
import type { SimResponse } from "../service/survey-model.ts";
import type { World } from "../world.ts";
import type { Violations } from "./violations.ts";

type Kind = "metrics" | "metadata";

/** Which details were answered, and which never are: one that hangs keeps nothing else waiting. */
export interface HangLog {
  note(kind: Kind, response: SimResponse, answer: "found" | "absent" | "failed"): void;
  /** No answer comes to a request made now. */
  hangs(response: SimResponse): void;
  /** Its event is on the bus. */
  delivered(detail: ResponseCompleted): void;
}

/** Milliseconds: the client gives a request up after thirty seconds. What is answered goes out long before that. */
const GIVEN_UP = 30_000;
const MOST_AFTER_ANSWER = 20_000;

export function createHangLog(world: World, violations: Violations): HangLog {
  const { plan, scheduler } = world;
  /** By survey and by response: epoch milliseconds of the last. */
  const hanging = new Map<number, { at: number; responseId: number }>();
  const answered = new Map<number, Partial<Record<Kind, number>>>();

  return {
    note(kind, response, answer) {
      if (answer === "found") answered.set(response.id, { ...answered.get(response.id), [kind]: scheduler.now() });
    },
    hangs(response) {
      hanging.set(response.survey.id, { at: scheduler.now(), responseId: response.id });
    },
    delivered({ data, meta }) {
      const hang = hanging.get(data.surveyId);
      const { metrics = 0, metadata = 0 } = answered.get(data.responseId) ?? {};
      const { enrich } = plan.source;
      const wanted = [...(enrich.metrics ? [metrics] : []), ...(enrich.metadata ? [metadata] : [])];
      // Where a process stands still, the bus fails or the survey's questions do, it waits for that.
      const isAsked = world.surveys.get(data.surveyId)?.words.fails === undefined;
      const isTold = plan.calm && isAsked && meta.complete && !wanted.includes(0) && wanted.length > 0;
      if (!isTold || hang === undefined || hang.responseId === data.responseId) return;
      const at = Math.max(...wanted);
      const waited = scheduler.now() - at;
      if (hang.at > at || hang.at + GIVEN_UP < at || waited <= MOST_AFTER_ANSWER) return;
      const told = `${data.surveyId}/${data.responseId} went out ${waited} ms after its details were answered`;
      violations.add("waits", `${told}: those of ${hang.responseId} were not`);
    },
  };
}
