import { createRandom } from "../../../lib/local/simulator/hashing.ts";
import type { Simulator } from "../../../lib/local/simulator/index.ts";

/** Seed of whatever a test draws by chance: set WIRE_SEED to the one that a failure names to meet the same again. */
export const seed = Number(process.env.WIRE_SEED ?? 20_261);

export type Chance = ReturnType<typeof createChance>;

export function createChance() {
  const random = createRandom(seed);
  const whole = (least: number, most: number): number => least + Math.floor(random() * (most - least + 1));
  return {
    /** A whole number from `least` to `most`. */
    whole,
    /** True with this probability. */
    is: (probability: number): boolean => random() < probability,
    pick: <T>(items: readonly [T, ...T[]]): T => items[whole(0, items.length - 1)] ?? items[0],
  };
}

/**
 * Respondents who come and go while the lists are read: responses arrive before each tick and between any two page
 * reads, some of them begun long before. Completing one that was open moves it to the head of a list by date.
 *
 * @returns `end`: from then on nobody answers any more, and everything that was begun is left open
 */
export function busyLife(simulator: Simulator, chance: Chance): { end(): void } {
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
  simulator.set({
    counts: {
      correct: "zero",
      // A tick begins with the survey list, which shows what has come just before.
      responses({ surveyId }) {
        if (surveyId === surveyIds[0]) live(3);
        return simulator.tally(surveyId).completed;
      },
    },
  });
  simulator.onPageRead(() => {
    if (chance.is(0.2)) live(1);
  });
  return {
    end() {
      going = false;
    },
  };
}
