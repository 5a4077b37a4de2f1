import { eventId, type ResponseDeleted } from "../../../lib/events/index.ts";
import type { SurveyState } from "../../../lib/polling/index.ts";
import type { Store } from "../../support/state-store.ts";
import type { SimSurvey } from "../service/survey-model.ts";
import type { World } from "../world.ts";
import type { Deliveries } from "./deliveries.ts";

/** What `response.deleted` events say: only of what is gone, and of everything that two books in a row have not listed. */
export function createDeletions(world: World, { read }: Pick<Store, "read">, deliveries: Deliveries) {
  /** By survey, when the reading of each of its books began with which the ledger was compared (epoch milliseconds). */
  const compared = new Map<number, number[]>();
  const told = new Map<number, string>();

  return {
    markWritten(surveyId: number, before: SurveyState, after: SurveyState): void {
      if (after.comparedAt === undefined || before.comparedAt === after.comparedAt) return;
      compared.set(surveyId, [...(compared.get(surveyId) ?? []), after.books?.startedAt ?? 0]);
    },
    delivered({ meta, data }: ResponseDeleted): void {
      const { surveyId, responseId, lastEventId } = data;
      const name = `${surveyId}/${responseId}`;
      if (world.responses.get(responseId)?.removedAt === undefined) {
        world.violate("deleted", `${name} is listed, and subscribers were told that it is deleted`);
      }
      const before = told.get(responseId);
      if (before === undefined) {
        world.sometimes("subscribers are told of a deletion");
        const { gone } = read(surveyId, [responseId]).get(responseId) ?? {};
        // The books that miss it now are the second ones that do.
        if (gone === undefined || gone.since >= Date.parse(data.observedAt))
          world.violate("deleted", `${name} was told to be deleted, and one full read alone has missed it`);
      } else if (before !== meta.eventId) world.violate("deleted", `the deletion of ${name} was told as two events`);
      told.set(responseId, meta.eventId);
      const revision = Math.max(...deliveries.of(responseId).map((one) => one.revision));
      const last = eventId(world.plan.source.name, surveyId, responseId, revision);
      if (lastEventId !== last) world.violate("deleted", `the deletion of ${name} does not name its last event`);
    },
    /** Who has gone, and nobody was told. */
    wrongAtRest({ id, responses }: SimSurvey): string | undefined {
      const begun = compared.get(id) ?? [];
      const untold = responses.find(({ id: responseId, removedAt = Infinity }) => {
        const settledAt = deliveries.of(responseId)[0]?.settledAt ?? Infinity;
        const since = begun.filter((startedAt) => startedAt > removedAt && startedAt > settledAt);
        return since.length > 1 && !told.has(responseId);
      });
      return untold === undefined ? undefined : `${untold.id} is deleted, and nobody was told`;
    },
  };
}
