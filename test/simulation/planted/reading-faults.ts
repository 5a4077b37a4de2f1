import type { PlantedFault } from "./plant.ts";

/** Faults in what is looked for, where, and what is made of it. */
export const readingFaults: readonly PlantedFault[] = [
  {
    name: "no full pass after the first",
    breaks: ["liveness: books", "lost", "late"],
    file: "survey/background.ts",
    find: "return mark.pass !== undefined || now >= (mark.nextPass ?? 0);",
    replace: "return mark.pass !== undefined;",
  },
  {
    name: "no re-check of open responses",
    breaks: ["late", "unchecked"],
    file: "survey/background.ts",
    find: 'if (task === "recheck") return (await nextRecheckOf(ctx)) <= now;',
    replace: 'if (task === "recheck") return false;',
  },
  {
    name: "open responses are never looked at again",
    breaks: ["lost"],
    file: "ledger/judge.ts",
    find: '      return kind === "completed" ? "emit" : "settled";\n    case "quarantined":',
    replace: '      return "settled";\n    case "quarantined":',
  },
  {
    name: "open responses are emitted",
    breaks: ["content", "ledger", "books"],
    file: "ledger/judge.ts",
    find: '  if (kind === "open") return "open";\n  // Whether it is',
    replace: "  // Whether it is",
  },
  {
    name: "a head walk that was cut short is forgotten",
    breaks: ["lost", "late"],
    file: "routes/head.ts",
    find: "if (readTo <= (ctx.mark.headOpen ?? 0)) return;",
    replace: "if (readTo >= 0) return;",
  },
  {
    name: "books are closed by an end that nobody has looked for",
    breaks: ["books"],
    file: "routes/head.ts",
    find: 'end.by === "two looks"',
    replace: 'end.by !== "one look"',
  },
];
