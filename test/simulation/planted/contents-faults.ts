import type { PlantedFault } from "./plant.ts";

/** Faults in what proves the contents of a response. */
export const contentsFaults: readonly PlantedFault[] = [
  {
    name: "what no page proves goes out",
    breaks: ["content"],
    file: "contents/prove.ts",
    find: "return { proved: [...known, ...byPages, ...given], held: await noteHeld(ctx, unproved) };",
    replace: "return { proved: [...known, ...byPages, ...rest], held: [] };",
  },
  {
    name: "operation 9 is trusted for a response of one record",
    breaks: ["content"],
    file: "contents/operation9.ts",
    find: 'return answers === "several" || (answers === "one" && severalSeen !== true);',
    replace: "return answers !== undefined;",
  },
  {
    name: "operation 9 is believed to know more than pages",
    breaks: ["content", "lost"],
    file: "contents/suspects.ts",
    find: "if (isWrong) delete contents.answers;",
    replace: 'if (isWrong) {\n    contents.answers = "several";\n    contents.apart = 0;\n  }',
  },
  {
    name: "nobody decides whether records lie apart",
    breaks: ["lost", "liveness: books"],
    file: "contents/suspects.ts",
    find: "if (suspects.length === 0) return [];",
    replace: "if (suspects.length >= 0) return [];",
  },
  {
    name: "a held response is never looked at again",
    breaks: ["lost", "liveness: left"],
    file: "ledger/judge.ts",
    find: 'return by.looksAtHeld || isHeldDue(entry, by.now) ? "unproved" : "held";',
    replace: 'return "held";',
  },
  {
    name: "nothing is ever held",
    breaks: ["liveness: books", "requests", "idle", "lost"],
    file: "ledger/held.ts",
    find: "attempts: attempts + 1,",
    replace: "attempts: 1,",
  },
  {
    name: "short events are not replaced",
    breaks: ["short"],
    file: "ledger/judge.ts",
    find: 'short: { ...settled, completed: "replace" },',
    replace: "short: settled,",
  },
];
