import type { PlantedFault } from "./plant.ts";

/** Faults in how pages are read, joined and proved, and in how their end is told. */
export const walkFaults: readonly PlantedFault[] = [
  {
    name: "edges are not proved",
    breaks: ["content", "lost", "books"],
    file: "walk/walk.ts",
    find: "const doubtful = isTimeUp ? [] : inDoubt(course, options.proves, options.isNew, isOver);",
    replace:
      "const doubtful = isTimeUp ? [] : inDoubt(course, options.proves, options.isNew, isOver).filter(({ ends }) => ends);",
  },
  {
    name: "a response cut by a page edge is not joined",
    breaks: ["content"],
    file: "walk/join.ts",
    find: "records: [...one.records, ...further],",
    replace: "records: further,",
  },
  {
    name: "what two pages show of a response is taken twice",
    breaks: ["content"],
    file: "walk/join.ts",
    find: "begins: one.begins && repeated.length === 0,\n        repeated: [...one.repeated, ...repeated],",
    replace: "begins: one.begins,\n        repeated: [],\n        records: [...one.records, ...next.records],",
  },
  {
    name: "a walk goes on where the list has changed",
    breaks: ["content", "lost", "books", "floor"],
    file: "walk/course.ts",
    find: "goTo(course, Math.min(changed - 1, ...undealt));",
    replace: "course.held = [];\n  course.next = changed;",
  },
  {
    name: "the end of a list is looked at once",
    breaks: ["books", "lost", "floor", "late", "content"],
    file: "walk/second-look.ts",
    find: "return (isOver ? held : held.slice(0, -1)).filter(canBeRead);",
    replace: "return held.slice(0, -1).filter(canBeRead);",
  },
  {
    name: "every short page is the end",
    breaks: ["books", "lost", "late", "floor", "content"],
    file: "walk/walk.ts",
    find: "if (mayGuess && end.isLast(one.page)) {",
    replace: "if (one.page.size < 100 || (mayGuess && end.isLast(one.page))) {",
  },
  {
    name: "a page that is shown again is a page of the list",
    breaks: ["failure", "requests", "lost", "liveness: books", "endless", "hang"],
    file: "walk/walk.ts",
    find: "if (one.page !== undefined && end.repeats(one.page, before)) {",
    replace: "if (one.page !== undefined && one.number > 40 && end.repeats(one.page, before)) {",
  },
  {
    name: "99 records are a full page",
    breaks: ["content", "lost"],
    file: "walk/page.ts",
    find: "const all = read.records.map((raw) => readRecord(raw));",
    replace: "const all = read.records.slice(0, PAGE_SIZE - 1).map((raw) => readRecord(raw));",
  },
  {
    name: "404 past the end is a page",
    breaks: ["failure"],
    file: "walk/page.ts",
    find: 'if (read.kind === "none" || read.records.length === 0) return undefined;',
    replace:
      'if (read.kind === "none" && number > 1) throw new TypeError("no such page");\n  if (read.kind === "none" || read.records.length === 0) return undefined;',
  },
  {
    name: "equal records of a page are taken for one",
    breaks: ["content", "short"],
    file: "walk/page.ts",
    find: "else if (last?.responseId === record.responseId) last.records.push(record);",
    replace:
      "else if (last?.responseId === record.responseId) {\n      if (!last.records.some(({ digest }) => digest === record.digest)) last.records.push(record);\n    }",
  },
  {
    name: "pages are compared by the order of their records",
    breaks: ["lost", "liveness: books", "books"],
    file: "walk/page.ts",
    find: "          .sort()\n",
    replace: "",
  },
  {
    name: "the text of a comment tells two reads apart",
    breaks: ["lost", "liveness: books", "books"],
    file: "model/records.ts",
    find: 'const hasComment = comment !== "" && comment !== null && comment !== undefined;',
    replace: "const hasComment = comment;",
  },
  {
    name: "the other order is not asked for the end of a list",
    breaks: ["failure", "lost", "liveness: books"],
    file: "walk/walk.ts",
    find: "!(await endsHere(course.held.at(-2)?.page, course.carry, options.otherFirst))",
    replace: "options.from > 0",
  },
  {
    name: "what fails behind any page is the end",
    breaks: ["content", "short", "books", "lost", "floor"],
    file: "walk/walk.ts",
    find: "if (last.error !== undefined && !(await endsHere(",
    replace: "if (last.number < 1 && !(await endsHere(",
  },
  {
    name: "a page that was stepped over is never tried again",
    breaks: ["lost", "late", "books", "liveness: books"],
    file: "routes/failing-page.ts",
    find: "new Set(pages), tries };",
    replace: "new Set(pages), tries: false };",
  },
];
