import type { PlantedFault } from "./plant.ts";

const gone = (): string => "";

/** Faults that the simulation must find. Each is one that was made, or nearly made, somewhere by somebody. */
export const plantedFaults: readonly PlantedFault[] = [
  // How pages are read, joined and proved, and how their end is told.
  {
    name: "edges-unproved",
    breaks: ["content", "lost", "books"],
    line: () => "const again = looks;",
  },
  { name: "cut-not-joined", breaks: ["content"], within: 60, line: (code) => code.replace("...one.records, ", "") },
  {
    name: "shown-twice-taken-twice",
    breaks: ["content"],
    line: () => "begins: one.begins,",
  },
  {
    name: "goes-on-where-changed",
    breaks: ["content", "lost", "books", "start"],
    line: () => "course.next = now.number; course.before = undefined; size = 1; course.carry = [];",
  },
  {
    name: "no-anchor-is-one",
    breaks: ["lost", "books", "skipped", "content"],
    line: () => "isSure = true;",
  },
  {
    name: "end-seen-once",
    breaks: ["books", "lost", "start", "late", "content", "liveness: books"],
    line: () =>
      'if (one.kind === "none") return "open"; const rereadsBefore = before !== undefined && (one.kind === "page" || endsNew);',
  },
  {
    name: "short-page-is-end",
    breaks: ["books", "lost", "late", "start", "content"],
    line: () => "const isShort = !isFull(one.page);",
  },
  {
    name: "repeated-page-is-new",
    breaks: ["failure", "requests", "lost", "liveness: books", "endless", "hang"],
    within: 360,
    line: (code) => code.replace("one.number > 1", "one.number > 40"),
  },
  {
    name: "last-record-dropped",
    breaks: ["content", "lost"],
    within: 60,
    line: (code) => code.replace(".records", ".records.slice(0, 99)"),
  },
  {
    name: "no-page-is-failure",
    breaks: ["failure"],
    within: 60,
    line: (code) => `if (read.kind === "none" && number > 1) throw new TypeError("no such page");${code}`,
  },
  {
    name: "equal-records-are-one",
    breaks: ["content", "short"],
    within: 60,
    line: (code) => code.replace("last.", "last.records.some(({ digest }) => digest === record.digest) || last."),
  },
  { name: "order-makes-a-change", breaks: ["lost", "liveness: books", "books"], within: 60, line: gone },
  {
    name: "comment-makes-a-change",
    breaks: ["lost", "liveness: books", "books"],
    line: () => "const hasComment = comment;",
  },
  {
    name: "any-failure-is-end",
    breaks: ["content", "short", "books", "lost", "start"],
    within: 960,
    line: () => "} else if (last.number < 1) return course.failed(last.number, undefined);",
  },
  // What proves the contents of a response.
  {
    name: "unproved-goes-out",
    breaks: ["content"],
    within: 180,
    line: () => "return { proved: [...known, ...byPages, ...rest], held: [] };",
  },
  {
    name: "one-record-makes-trust",
    breaks: ["content"],
    line: () => 'return contents === "auto" && asking.learned.single.compared > 0;',
  },
  {
    name: "scattered-unlearned",
    breaks: ["content", "short", "lost", "liveness: books"],
    line: () => "if (learned !== undefined) return;",
  },
  { name: "held-for-ever", breaks: ["lost", "liveness: left"], within: 180, line: () => 'return "held";' },
  {
    name: "never-held",
    breaks: ["liveness: books", "requests", "idle", "lost"],
    within: 180,
    line: () => "attempts: 1,",
  },
  { name: "short-not-replaced", breaks: ["short"], line: () => "short: settled," },
  // What is looked for, and where.
  {
    name: "one-pass-only",
    breaks: ["liveness: books", "lost", "late"],
    within: 60,
    line: () => '"full read": state.nextPass !== undefined ? { at: Infinity, every: full } :',
  },
  {
    name: "no-re-check",
    breaks: ["late", "unchecked"],
    line: (code) => code.replace("await nextRecheckOf(survey)", "Infinity"),
  },
  { name: "open-not-seen-again", breaks: ["lost"], within: 60, line: () => "open: settled," },
  { name: "open-emitted", breaks: ["content", "ledger", "books"], within: 60, line: () => 'open: "emit",' },
  // What is decided, published and written down.
  { name: "books-number-not-fixed", breaks: ["books told"], within: 360, line: gone },
  { name: "digest-of-one-page", breaks: ["books told"], within: 60, line: () => "from = undefined;" },
  {
    name: "books-told-once",
    breaks: ["books told", "liveness: books told"],
    within: 60,
    line: () => 'survey.note({ kind: "told" }); await tell(survey, [untold]);',
  },
  {
    name: "missing-once-is-deleted",
    breaks: ["deleted"],
    within: 60,
    line: () => "const twice = missing.filter(({ gone }) => gone?.told !== true);",
  },
  { name: "deletion-untold", breaks: ["deleted"], within: 60, line: gone },
  { name: "survey-change-untold", breaks: ["survey changed"], within: 60, line: () => "return undefined;" },
  { name: "counts-untold", breaks: ["survey counts"], within: 60, line: () => "return undefined;" },
  {
    name: "counts-at-once",
    breaks: ["survey counts"],
    within: 60,
    line: () => "return told?.shown !== countsAs(counts);",
  },
  {
    name: "change-untold",
    breaks: ["update"],
    within: 60,
    line: () => 'if (seen.kind === "told") return { kind: "changed", entry: undefined };',
  },
  {
    name: "update-keeps-old-digest",
    breaks: ["update"],
    within: 60,
    line: (code) =>
      code.replace(", eventId,", ", digest: response.replaces?.entry.digest ?? response.digest, eventId,"),
  },
  { name: "ledger-before-bus", breaks: ["ledger"], within: 60, line: (code) => `await enter(survey, batch);${code}` },
  {
    name: "failed-counts-as-published",
    breaks: ["ledger"],
    within: 60,
    line: (code) => code.replace('=== "published"', '!== "refused"'),
  },
  { name: "pending-forgotten", breaks: ["forgotten", "repeat"], within: 360, line: gone },
  { name: "publish-unguarded", breaks: ["fence", "repeat"], line: () => "async () => {}," },
  { name: "lost-lease-unnoticed", breaks: ["fence", "repeat"], line: () => "return;" },
  {
    name: "start-by-our-clock",
    breaks: ["start", "lost"],
    within: 60,
    line: (code) =>
      code.replace("newest ?? clockSays", 'new Date(ports.clock.now()).toISOString().slice(0, 19).replace("T", " ")'),
  },
  {
    name: "start-by-date-alone",
    breaks: ["lost"],
    within: 180,
    line: () => 'if (entry === undefined) return "unknown";',
  },
  {
    name: "books-before-any",
    breaks: ["start"],
    line: () => "hasBooks: true,",
  },
  { name: "future-sets-start", breaks: ["start", "lost"], within: 360, line: () => "const isPast = date !== null;" },
  { name: "hint-forgotten", breaks: ["late", "lost"], line: gone },
  {
    name: "waiting-unasked",
    breaks: ["lost", "late", "liveness: books"],
    line: () => "const next = undefined; counts.waiting = 0;",
  },
  { name: "absent-at-once", breaks: ["content"], within: 60, line: () => "const longEnough = true;" },
  { name: "given-up-at-once", breaks: ["content"], within: 60, line: (code) => code.replace("false", "true") },
  {
    name: "too-many-at-once",
    breaks: ["in-flight", "misuse", "failure"],
    within: 60,
    line: (code) => code.replace("10", "25"),
  },
  { name: "stale-index-believed", breaks: ["repeat"], within: 60, line: () => "const waiting = due;" },
  {
    name: "no-budget",
    breaks: ["idle", "requests"],
    line: () => "const budget: Budget = { left: Number.POSITIVE_INFINITY };",
  },
  // Backlogs: what is read ahead, on its way, and left to slices.
  { name: "left-out-forgotten", breaks: ["skipped", "books", "liveness: books", "lost", "start"], line: gone },
  {
    name: "behind-forgotten",
    breaks: ["lost", "late"],
    within: 60,
    line: (code) => code.replace("isBehind === true", "isBehind !== true"),
  },
  { name: "bus-failure-swallowed", breaks: ["skipped"], line: gone },
  {
    name: "slice-ends-backlog",
    breaks: ["skipped", "start", "lost", "liveness: books"],
    within: 360,
    line: () => 'if (placeOf(survey.state) !== undefined) survey.note({ kind: "read", purpose: "backlog" });',
  },
  {
    name: "slice-stops-at-once",
    breaks: ["lost", "liveness: books"],
    line: () => "if (plan.isOver(step.position - goal)) break;",
  },
  // What is made of the service's answers.
  { name: "other-metadata-taken", breaks: ["content"], within: 60, line: gone },
  { name: "first-metadata-taken", breaks: ["content"], within: 180, line: () => "return body;" },
  { name: "other-page-taken", breaks: ["content"], within: 600, line: gone },
  { name: "error-body-is-metrics", breaks: ["content"], within: 60, line: gone },
  {
    name: "metric-list-is-none",
    breaks: ["content"],
    within: 60,
    line: (code) => code.replace("read === null", "read === null || Array.isArray(read)"),
  },
  { name: "six-is-passive", breaks: ["content"], within: 60, line: (code) => code.replace("7", "6") },
  { name: "survey-not-named", breaks: ["content"], within: 60, line: gone },
  { name: "labels-from-one", breaks: ["content"], within: 60, line: (code) => code.replace("base", "1") },
  { name: "later-words-certain", breaks: ["content"], within: 60, line: () => "return false;" },
  { name: "old-list-believed", breaks: ["content"], line: gone },
  { name: "questions-without-end", breaks: ["late", "liveness: left"], line: () => "return false;" },
  {
    name: "hanging-detail-blocks",
    breaks: ["late", "waits"],
    line: () => "const stop = (): void => undefined;",
  },
];
