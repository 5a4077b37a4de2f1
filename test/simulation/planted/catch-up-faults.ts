import type { PlantedFault } from "./plant.ts";

/** Faults in the catch-up: what is read ahead, on its way, and left to slices. */
export const catchUpFaults: readonly PlantedFault[] = [
  {
    name: "a slice whose message is lost is never queued again",
    breaks: ["lost", "late"],
    file: "survey/slices.ts",
    find: "const isOnItsWay = now < queuedUntil &&",
    replace: "const isOnItsWay = queuedUntil > 0 ||",
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
    breaks: ["books", "liveness: books"],
    file: "routes/catch-up.ts",
    find: "const ids = from === 1 && mark.books === undefined ? createPassIds() : undefined;",
    replace: "const ids = createPassIds();",
  },
  {
    name: "a slice whose time is up ends the whole catch-up",
    breaks: ["skipped", "floor", "lost"],
    file: "routes/catch-up.ts",
    find: "(end.isEmpty && !isEmptyBelieved(ctx))) {\n    ctx.resumed = true;\n    return { ...counts, unfinished: true };",
    replace: "(end.isEmpty && !isEmptyBelieved(ctx))) {\n    followHead(mark);\n    return counts;",
  },
  {
    name: "each slice may stop behind its first page",
    breaks: ["lost", "liveness: books"],
    file: "routes/catch-up.ts",
    find: "(isBeyond && clock.now() > ctx.streamUntil)",
    replace: "clock.now() > ctx.streamUntil",
  },
  {
    name: "a survey that is gone for a moment is an empty one",
    breaks: ["floor", "lost", "books"],
    file: "routes/catch-up.ts",
    find: "(end.isEmpty && !isEmptyBelieved(ctx))",
    replace: "(end.isEmpty && isEmptyBelieved(ctx) && position.page < 0)",
  },
];
