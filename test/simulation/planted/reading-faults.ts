import type { PlantedFault } from "./plant.ts";

/** Faults in what is looked for, where, and what is made of it. */
export const readingFaults: readonly PlantedFault[] = [
  {
    name: "no full pass after the first",
    breaks: ["liveness: books", "lost", "late"],
    file: "survey/background.ts",
    find: "mark.pass === undefined ? (mark.nextPass ?? 0) : mark.pass.startedAt",
    replace: "mark.pass === undefined ? (mark.nextPass === undefined ? 0 : Infinity) : mark.pass.startedAt",
  },
  {
    name: "no re-check of open responses",
    breaks: ["late", "unchecked"],
    file: "survey/background.ts",
    find: "at: await nextRecheckOf(ctx)",
    replace: "at: Infinity",
  },
  {
    name: "open responses are never looked at again",
    breaks: ["lost"],
    file: "ledger/judge.ts",
    find: '  open: { open: "settled", unreadable: "quarantine", completed: "emit" },',
    replace: "  open: settled,",
  },
  {
    name: "open responses are emitted",
    breaks: ["content", "ledger", "books"],
    file: "ledger/judge.ts",
    find: '    open: "open",\n    // Whether',
    replace: '    open: "emit",\n    // Whether',
  },
  {
    name: "a head walk that was cut short is forgotten",
    breaks: ["lost", "late"],
    file: "routes/head.ts",
    find: "if (page <= (openTo(ctx.mark) ?? 0)) return;",
    replace: "if (readTo >= 0) return;",
  },
  {
    name: "books are closed by an end that nobody has looked for",
    breaks: ["books"],
    file: "routes/head.ts",
    find: 'if (by !== "short page") return true;',
    replace: "if (by !== undefined) return true;",
  },
];
