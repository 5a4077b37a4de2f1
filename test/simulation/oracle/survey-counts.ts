import { isDeepStrictEqual } from "node:util";
import { type SurveyCounts, surveyCounts } from "../../../lib/events/build/survey.ts";
import type { SurveyCounted } from "../../../lib/events/index.ts";
import type { SurveyState } from "../../../lib/polling/index.ts";
import type { Json, SimSurvey } from "../service/survey-model.ts";
import type { World } from "../world.ts";
import type { Violations } from "./violations.ts";

// What `survey.counted` events say: what a list has shown, an hour apart or more, up to what the list shows now.

export interface SurveyCountsCheck {
  /** Called with the rows of each list at the moment of its answer. */
  listed(rows: readonly Json[]): void;
  delivered(detail: SurveyCounted): void;
  /** What subscribers do not know of the counts of a survey. */
  wrongAtRest(survey: SimSurvey, state: SurveyState | undefined): string | undefined;
}

const HOUR = 3_600_000;
/** Ticks that may pass until counts are told that are due. */
const TICKS = 4;

export function createSurveyCounts(world: World, violations: Violations): SurveyCountsCheck {
  const isOn = world.plan.source.events.has("survey.counted");
  const chains = new Map<number, SurveyCounted[]>();
  /** By survey, then by impressions, which are the seconds of the service's clock. */
  const shown = new Map<unknown, Map<unknown, SurveyCounts[]>>();

  const wrongLink = (chain: SurveyCounted[], { meta, data }: SurveyCounted): string | undefined => {
    const { surveyId, asOf, impressions, opened, responses } = data;
    if (meta.sequence !== chain.length + 1) return "does not follow the one before";
    const last = chain.at(-1)?.data;
    if (last !== undefined && Date.parse(asOf) - Date.parse(last.asOf) < HOUR) return "comes within the hour";
    const then = shown.get(surveyId)?.get(impressions) ?? [];
    const isShown = then.some((counts) => isDeepStrictEqual(counts, { impressions, opened, responses }));
    return isShown ? undefined : "says what no list has shown";
  };

  return {
    listed(rows) {
      if (!isOn) return;
      for (const row of rows) {
        const ofSurvey = shown.get(row.surveyId) ?? new Map<unknown, SurveyCounts[]>();
        shown.set(row.surveyId, ofSurvey);
        ofSurvey.set(row.impressions, [...(ofSurvey.get(row.impressions) ?? []), surveyCounts(row)]);
      }
    },
    delivered(detail) {
      const { surveyId } = detail.data;
      const chain = chains.get(surveyId) ?? [];
      chains.set(surveyId, chain);
      const name = `survey.counted ${detail.meta.sequence} of survey ${surveyId}`;
      const repeated = chain.find(({ meta }) => meta.eventId === detail.meta.eventId);
      if (repeated !== undefined) {
        if (!isDeepStrictEqual(repeated, detail)) violations.add("survey counts", `${name} came with two contents`);
        return;
      }
      const wrong = wrongLink(chain, detail);
      if (wrong !== undefined) violations.add("survey counts", `${name} ${wrong}`);
      if (chain.length > 0) world.sometimes("the counts of a survey are told again");
      chain.push(detail);
    },
    wrongAtRest(survey, state) {
      if (!isOn || state === undefined || survey.hidden) return undefined;
      const chain = chains.get(survey.id) ?? [];
      if ((state.counted?.sequence ?? 0) !== chain.length) return "the state says more than subscribers know";
      const since = world.scheduler.now() - HOUR - TICKS * world.plan.source.interval;
      const told = (chain.at(-1)?.data.impressions ?? 0) * 1000;
      return told < since ? "its counts have changed, and nobody was told" : undefined;
    },
  };
}
