import { isDeepStrictEqual } from "node:util";
import { type SurveyCounts, surveyCounts } from "../../../lib/events/build/survey.ts";
import type { SurveyChanged, SurveyCounted } from "../../../lib/events/index.ts";
import type { SurveyState } from "../../../lib/polling/index.ts";
import { editionAt } from "../service/survey-facts.ts";
import type { Json, SimSurvey } from "../service/survey-model.ts";
import type { World } from "../world.ts";
import { createChains } from "./chains.ts";

const HOUR = 3_600_000;
/** Ticks from an edit to its event, as two lists have to show it; and until counts are told that are due. */
const TICKS = 4;

/** What `survey.changed` events say: each begins with what the one before has ended with, and the last one ends with what the list shows. */
export function createSurveyChanges(world: World) {
  const chains = createChains<SurveyChanged>(world, {
    rule: "survey changed",
    type: "survey.changed",
    wrongLink({ data: { surveyId, before, after } }, last) {
      if (after === null) world.sometimes("a survey is told to be gone");
      if (before === null) world.sometimes("a survey is told to be there");
      const editions = world.surveys.get(surveyId)?.editions;
      if (editions === undefined) return "is of no survey";
      if (last !== undefined && !isDeepStrictEqual(before, last.data.after))
        return "does not begin where that has ended";
      if (isDeepStrictEqual(before, after)) return "says nothing new";
      const wereSo = [before, after].every(
        (facts) => facts === null || editions.some((one) => isDeepStrictEqual(one.facts, facts)),
      );
      return wereSo ? undefined : "says what never was";
    },
  });
  return {
    delivered: chains.delivered,
    /** What subscribers do not know of a survey itself. */
    wrongAtRest(survey: SimSurvey, { known }: Partial<SurveyState> = {}): string | undefined {
      if (!world.plan.source.events.has("survey.changed") || known === undefined) return undefined;
      const chain = chains.of(survey.id);
      const { facts: after, sequence } = known;
      const isTold = chain.length === 0 || isDeepStrictEqual(chain.at(-1)?.data.after, after);
      if (sequence !== chain.length || !isTold) return "the mark says more than subscribers know";
      if (after === null) return survey.hidden ? undefined : "subscribers were told that it is gone, and it is listed";
      const since = world.scheduler.now() - TICKS * world.plan.source.interval;
      const told = survey.editions.findLastIndex(({ facts }) => isDeepStrictEqual(facts, after));
      return told < editionAt(survey, since) ? "it was edited, and nobody was told" : undefined;
    },
  };
}

/** What `survey.counted` events say: what a list has shown, an hour apart or more, up to what the list shows now. */
export function createSurveyCounts(world: World) {
  const isOn = world.plan.source.events.has("survey.counted");
  /** By survey, then by impressions, which are the seconds of the service's clock. */
  const shown = new Map<unknown, Map<unknown, SurveyCounts[]>>();
  const chains = createChains<SurveyCounted>(world, {
    rule: "survey counts",
    type: "survey.counted",
    wrongLink({ data: { surveyId, asOf, impressions, opened, responses } }, last) {
      if (last !== undefined) world.sometimes("the counts of a survey are told again");
      if (last !== undefined && Date.parse(asOf) - Date.parse(last.data.asOf) < HOUR) return "comes within the hour";
      const then = shown.get(surveyId)?.get(impressions) ?? [];
      const isShown = then.some((counts) => isDeepStrictEqual(counts, { impressions, opened, responses }));
      return isShown ? undefined : "says what no list has shown";
    },
  });
  return {
    delivered: chains.delivered,
    /** Called with the rows of each list at the moment of its answer. */
    listed(rows: readonly Json[]): void {
      if (!isOn) return;
      for (const row of rows) {
        const ofSurvey = shown.get(row.surveyId) ?? new Map<unknown, SurveyCounts[]>();
        shown.set(row.surveyId, ofSurvey);
        ofSurvey.set(row.impressions, [...(ofSurvey.get(row.impressions) ?? []), surveyCounts(row)]);
      }
    },
    /** What subscribers do not know of the counts of a survey. */
    wrongAtRest(survey: SimSurvey, state: SurveyState | undefined): string | undefined {
      if (!isOn || state === undefined || survey.hidden) return undefined;
      const chain = chains.of(survey.id);
      if ((state.counted?.sequence ?? 0) !== chain.length) return "the state says more than subscribers know";
      const since = world.scheduler.now() - HOUR - TICKS * world.plan.source.interval;
      const told = (chain.at(-1)?.data.impressions ?? 0) * 1000;
      return told < since ? "its counts have changed, and nobody was told" : undefined;
    },
  };
}
