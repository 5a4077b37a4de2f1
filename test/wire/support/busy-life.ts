import type { Simulator } from "../../../lib/local/simulator/index.ts";
import { beforeEachList } from "./polled-service.ts";
import type { Chance } from "./seeded.ts";

export interface BusyLife {
  /** From now on nobody answers any more, and everything that was begun is left open. */
  end(): void;
}

/**
 * Respondents who come and go while the lists are read: responses arrive before each tick and between any two page
 * reads, some of them begun long before. Completing one that was open moves it to the head of a list by date.
 */
export function busyLife(simulator: Simulator, chance: Chance): BusyLife {
  let going = true;
  const surveyIds = simulator.surveyIds();

  const live = (most: number): void => {
    for (const surveyId of surveyIds) {
      if (!going || !chance.is(0.4)) continue;
      simulator.complete(surveyId, chance.whole(1, most));
      if (chance.is(0.5)) simulator.start(surveyId);
      const open = simulator.openIds(surveyId);
      const late = open[chance.whole(0, open.length - 1)];
      if (late !== undefined && chance.is(0.6)) simulator.finish(surveyId, late);
    }
  };
  beforeEachList(simulator, () => live(3));
  simulator.onPageRead(() => {
    if (chance.is(0.2)) live(1);
  });
  return {
    end() {
      going = false;
    },
  };
}
