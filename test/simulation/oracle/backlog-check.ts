import { type LedgerEntry, placeOf, type SurveyState } from "../../../lib/polling/index.ts";
import { listedOf, type SimResponse, type SimSurvey } from "../service/survey-model.ts";
import type { World } from "../world.ts";

interface Course {
  /** Epoch milliseconds at which this part of it, up to the next taking of the lease, has begun. */
  partSince: number;
  /** Whether it has left something out. */
  hasGap: boolean;
}

interface BacklogParts {
  mustBeMet(response: SimResponse): boolean;
  entries(surveyId: number): Map<LedgerEntry["id"], LedgerEntry>;
}

/** What a backlog owes: a first pass that is done has met everything that was there when it began, and news do not wait for it. */
export function createBacklogCheck(world: World, parts: BacklogParts) {
  const courses = new Map<number, Course>();
  /** By survey: since when there is a backlog. */
  const streams = new Map<number, { from: number; to: number }[]>();
  const { scheduler } = world;

  /** Records that have left their place in the list since a moment. */
  const movedSince = ({ responses }: SimSurvey, since: number): number => {
    const left = responses.filter(
      ({ removedAt = -Infinity, endedAt = -Infinity, listedFrom = Infinity }) =>
        removedAt >= since || (endedAt >= since && listedFrom < endedAt),
    );
    return left.reduce((sum, { answers }) => sum + answers, 0);
  };

  const checkMet = (survey: SimSurvey): void => {
    const began = survey.firstReadAt ?? Infinity;
    const entries = parts.entries(survey.id);
    const skipped = listedOf(survey).find((response) => {
      const { versions, odd, id } = response;
      const [version, ...changes] = versions.filter(({ from }, i) => i === versions.length - 1 || from >= began);
      const wasThere = changes.length === 0 && version?.state === "completed" && version.from < began;
      return wasThere && odd === undefined && !entries.has(id) && parts.mustBeMet(response);
    });
    if (skipped === undefined) return;
    world.violate(
      "skipped",
      `${survey.id}/${skipped.id} was there all the time, and a whole first pass has not met it`,
    );
  };

  return {
    /** A process takes the lease of a survey. */
    leaseTaken(surveyId: number): void {
      const course = courses.get(surveyId);
      if (course !== undefined) course.partSince = scheduler.now();
    },
    markWritten(surveyId: number, before: SurveyState, after: SurveyState): void {
      const survey = world.surveys.get(surveyId);
      if (survey === undefined) return;
      const place = placeOf(after);
      const isOn = place !== undefined;
      const known = streams.get(surveyId) ?? [];
      streams.set(surveyId, known);
      const last = known.at(-1);
      if (isOn && last?.to !== Infinity) known.push({ from: scheduler.now(), to: Infinity });
      if (!isOn && last?.to === Infinity) last.to = scheduler.now();
      const course = courses.get(surveyId);
      if (isOn && before.phase.kind === "new") {
        courses.set(surveyId, { partSince: survey.firstReadAt ?? scheduler.now(), hasGap: false });
      }
      if (course === undefined) return;
      course.hasGap ||= place !== undefined && (!place.covered || place.skipped.length > 0);
      if (isOn) return;
      // What it has left out at its very end no mark tells.
      const isWhole = after.failing === undefined && movedSince(survey, course.partSince) === 0;
      courses.delete(surveyId);
      if (isWhole && !course.hasGap && isSteady(survey)) checkMet(survey);
    },
    /** Epoch milliseconds since which a backlog was left to slices when the response completed, if news were to be told from its backlog. */
    waitedSince({ survey, completedAt = 0 }: SimResponse): number | undefined {
      return streams.get(survey.id)?.find(({ from, to }) => from < completedAt && completedAt < to)?.from;
    },
    /** Whether a response may have been part of a backlog whose slices are given next to no time, so that it takes many ticks. */
    isHeldUp({ survey, completedAt = 0 }: SimResponse): boolean {
      if (world.plan.turnTime === Infinity) return false;
      return streams.get(survey.id)?.some(({ to }) => completedAt < to) === true;
    },
  };
}

/** Whether nothing but deletions and completions moves its list, and it was there all the time. */
function isSteady({ plan, traits, goneFrom }: SimSurvey): boolean {
  return traits.layout === "contiguous" && plan.flips.length === 0 && goneFrom === Infinity;
}
