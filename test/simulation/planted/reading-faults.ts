import type { PlantedFault } from "./plant.ts";

/** Faults in what is read, joined and looked for. */
export const readingFaults: readonly PlantedFault[] = [
  {
    name: "no look-back and no search below the head",
    breaks: ["late"],
    file: "background.ts",
    find: "return mark.sweep !== undefined || request.seek > 0 || dueLevel(ctx) !== undefined;",
    replace: "return false;",
  },
  {
    name: "no full pass after the first",
    breaks: ["books-at-rest", "lost", "late"],
    file: "background.ts",
    find: "return mark.pass !== undefined || now >= (mark.nextPass ?? 0);",
    replace: "return mark.pass !== undefined;",
  },
  {
    name: "no re-check of open responses",
    breaks: ["late"],
    file: "background.ts",
    find: "return mayRecheck(ctx) && ((await",
    replace: "return false && ((await",
  },
  {
    name: "open responses are never looked at again",
    breaks: ["lost"],
    file: "settle.ts",
    find: 'return entry.state === "quarantined" && isOld(completedAt(run), by.floor) ? "before-floor" : "emit";',
    replace: 'return entry.state === "open" ? "settled" : "emit";',
  },
  {
    name: "open responses are emitted",
    breaks: ["content", "ledger"],
    file: "settle.ts",
    find: 'if (kind === "open") return "open";',
    replace: "",
  },
  {
    name: "seams are not proved",
    breaks: ["content", "lost", "books"],
    file: "scan.ts",
    find: "const isSame = again?.digest === earlier.digest;",
    replace: "const isSame = true;",
  },
  {
    name: "a response cut by a page edge is not joined",
    breaks: ["content"],
    file: "scan.ts",
    find: "carry = { responseId: carry.responseId, records: [...carry.records, ...first.records] };\n      carrySure",
    replace: "carry = { responseId: carry.responseId, records: first.records };\n      carrySure",
  },
  {
    name: "one empty page is the end",
    breaks: ["books", "lost", "floor", "late"],
    file: "scan.ts",
    find: "const next = await read(number + 1);",
    replace: "const next = undefined as Page | undefined;",
  },
  {
    name: "every short page is the end",
    breaks: ["books", "lost", "late", "floor"],
    file: "scan.ts",
    find: 'if (short && shortPageEnds === true && options.prove !== "all" && !matters(carry)) {',
    replace: "if (previous !== undefined) return true;\n    if (short) {",
  },
  {
    name: "99 records are a full page",
    breaks: ["content", "lost"],
    file: "pages.ts",
    find: "const records = read.records.map(readRecord);",
    replace: "const records = read.records.slice(0, PAGE_SIZE - 1).map(readRecord);",
  },
  {
    name: "404 past the end is a page",
    breaks: ["failure"],
    file: "pages.ts",
    find: 'if (read.kind === "none" || read.records.length === 0) return undefined;',
    replace:
      'if (read.kind === "none" && number > 1) throw new TypeError("no such page");\n  if (read.kind === "none" || read.records.length === 0) return undefined;',
  },
  {
    name: "equal records of a page are taken for one",
    breaks: ["content", "short"],
    file: "pages.ts",
    find: "if (last?.responseId === record.responseId) last.records.push(record);",
    replace:
      "if (last?.responseId === record.responseId) {\n      if (!last.records.some(({ digest }) => digest === record.digest)) last.records.push(record);\n    }",
  },
  {
    name: "scattered records are emitted at first sight",
    breaks: ["content", "short"],
    file: "confirm.ts",
    find: "if (!state.apart) return isUnproved(ctx) ? [] : responses;",
    replace: "if (responses.length > 0) return responses;",
  },
  {
    name: "short events are not repaired",
    breaks: ["short"],
    file: "survey-scan.ts",
    find: 'return entry?.state === "emitted" && entry.count !== undefined && run.records.length > entry.count;',
    replace: "return entry === undefined && run.records.length === 0;",
  },
  {
    name: "operation 9 is trusted from the start",
    breaks: ["content"],
    file: "confirm.ts",
    find: "if (!state.trusted) return [];",
    replace: "",
  },
];
