import type { PlantedFault } from "./plant.ts";

/** Faults in the catch-up: what is read ahead, on its way, and left to slices. */
export const catchUpFaults: readonly PlantedFault[] = [
  {
    name: "what a catch-up has left out is forgotten",
    breaks: ["skipped", "books", "liveness: books", "lost", "floor"],
    file: "routes/catch-up.ts",
    find: "if (!step.covered || step.steppedOver.length > 0) place.isPartial = true;",
    replace: "",
  },
  {
    name: "a survey that is behind is left behind",
    breaks: ["lost", "late"],
    file: "tick/backlogs.ts",
    find: "isBehind === true && (restUntil",
    replace: "isBehind !== true && (restUntil",
  },
  {
    name: "what failed on its way to the bus is swallowed at the end of a catch-up",
    breaks: ["skipped"],
    file: "publish/pipeline.ts",
    find: "      if (line.failed !== undefined) throw line.failed.error;\n      counts.found",
    replace: "      counts.found",
  },
  {
    name: "books are closed over a catch-up that went on in the middle",
    breaks: ["books", "liveness: books", "lost"],
    file: "routes/catch-up.ts",
    find: "if (place.page === 1 && mark.books === undefined)",
    replace: "if (mark.books === undefined)",
  },
  {
    name: "a slice whose time is up ends the whole catch-up",
    breaks: ["skipped", "floor", "lost"],
    file: "routes/catch-up.ts",
    find: "&& !hasFailed(mark)))\n    return { ...counts, unfinished: true };",
    replace: "&& !hasFailed(mark))) {\n    followHead(mark);\n    return counts;\n  }",
  },
  {
    name: "each slice may stop behind its first page",
    breaks: ["lost", "liveness: books"],
    file: "routes/catch-up.ts",
    find: "isBeyond && (isUndecided || clock.now() > ctx.streamUntil)",
    replace: "isUndecided || clock.now() > ctx.streamUntil",
  },
];
