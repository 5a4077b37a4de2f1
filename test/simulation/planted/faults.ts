import { answerFaults } from "./answer-faults.ts";
import { catchUpFaults } from "./catch-up-faults.ts";
import { contentsFaults } from "./contents-faults.ts";
import type { PlantedFault } from "./plant.ts";
import { readingFaults } from "./reading-faults.ts";
import { stateFaults } from "./state-faults.ts";
import { walkFaults } from "./walk-faults.ts";

/** Faults that the simulation must find. Each is one that was made, or nearly made, somewhere by somebody. */
export const plantedFaults: readonly PlantedFault[] = [
  ...walkFaults,
  ...contentsFaults,
  ...readingFaults,
  ...stateFaults,
  ...catchUpFaults,
  ...answerFaults,
];
