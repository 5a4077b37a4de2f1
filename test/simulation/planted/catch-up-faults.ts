import type { PlantedFault } from "./plant.ts";

/** Faults in the catch-up: what is read ahead, on its way, and left to slices. */
export const catchUpFaults: readonly PlantedFault[] = [
  {
    name: "the second read of a page is used for every later one",
    breaks: ["content", "lost", "books"],
    file: "walk/page-reader.ts",
    find: "      forget();\n      asked = false;\n      next = page + 1;\n      return request(page).first;",
    replace: "      asked = false;\n      next = page + 1;\n      return (slots.get(page) ?? request(page)).first;",
  },
  {
    name: "books are closed over a catch-up that went on in the middle",
    breaks: ["books", "books-at-rest"],
    file: "routes/catch-up.ts",
    find: "const books = from === 1 ? openBooks",
    replace: "const books = from > 0 ? openBooks",
  },
  {
    name: "a slice whose message is lost is never queued again",
    breaks: ["lost", "late"],
    file: "survey/slices.ts",
    find: "const isOnItsWay = now < queuedUntil &&",
    replace: "const isOnItsWay = queuedUntil > 0 ||",
  },
  {
    name: "a backlog is begun a page too late",
    breaks: ["floor", "lost", "books"],
    file: "routes/stream-place.ts",
    find: "const from = Math.max(1, reached - 1);",
    replace: "const from = Math.max(1, reached + 1);",
  },
  {
    name: "pages read ahead are kept when one of them has changed",
    breaks: ["content", "lost", "books", "skipped"],
    file: "walk/page-reader.ts",
    find: "    if (result === undefined) {\n      forget(slots.get(page - 1));",
    replace: "    if (result === undefined) {",
  },
  {
    name: "pages read ahead are kept when the scan steps back",
    breaks: ["content", "lost", "books", "skipped"],
    file: "walk/page-reader.ts",
    find: "      forget();\n      asked = false;\n      next = page + 1;",
    replace: "      asked = false;\n      next = page + 1;",
  },
  {
    name: "what failed on its way to the bus is swallowed at the end of a catch-up",
    breaks: ["skipped"],
    file: "publish/pipeline.ts",
    find: "      if (failed !== undefined) throw failed.error;\n      counts.found",
    replace: "      counts.found",
  },
  {
    name: "a slice whose time is up ends the whole catch-up",
    breaks: ["skipped", "floor"],
    file: "routes/catch-up.ts",
    find: "    counts.unfinished = true;\n    ctx.resumed = true;\n    return counts;",
    replace: "    delete mark.stream;\n    mark.firstPassDone = true;\n    return counts;",
  },
  {
    name: "each slice may stop behind its first page",
    breaks: ["lost", "books-at-rest"],
    file: "routes/catch-up.ts",
    find: "const isOver = (place.isBeyond() || isNew) && clock",
    replace: "const isOver = clock",
  },
  {
    name: "ids are compared with the span of the ledger as numbers",
    breaks: ["repeat", "forgotten", "in-flight"],
    file: "ledger/spare-lookups.ts",
    find: "String(span.first) <= String(id) && String(id) <= String(span.last)",
    replace: "span.first <= id && id <= span.last",
  },
  {
    name: "what is entered after the span of the ledger was read is not looked up",
    breaks: ["repeat", "forgotten", "in-flight"],
    file: "ledger/spare-lookups.ts",
    find: "(lowest <= id && id <= highest)",
    replace: "false",
  },
  {
    name: "a ledger that knows none of a page is taken for empty",
    breaks: ["repeat", "forgotten", "in-flight"],
    file: "ledger/spare-lookups.ts",
    find: "before ??= { span: await state.span(surveyId) };",
    replace: "before ??= { span: undefined };",
  },
];
