import type { PlantedFault } from "./plant.ts";

/** `breaks`: promises, by commas. */
function fault(name: string, breaks: string, line: PlantedFault["line"], within?: number): PlantedFault {
  return { name, breaks: breaks.split(", "), line, within };
}

/** Faults that the simulation must find. Each is one that was made, or nearly made, somewhere by somebody. */
export const plantedFaults: readonly PlantedFault[] = [
  // How pages are read, joined and proved, and how their end is told.
  fault("edges-unproved", "content, lost, books", "const again = looks;"),
  fault("cut-not-joined", "content", (code) => code.replace("...one.records, ", ""), 60),
  fault("shown-twice-taken-twice", "content", "begins: one.begins,"),
  fault(
    "goes-on-where-changed",
    "content, lost, books, start",
    "course.goTo(change.number); course.isAnchored = true;",
  ),
  fault("no-anchor-is-one", "lost, books, skipped, content", "this.isAnchored = true;"),
  fault(
    "end-seen-once",
    "books, lost, start, late, content, liveness: books",
    "const again = isTwice && page !== undefined ? await this.lookAgain(looks) : looks;",
  ),
  fault("short-page-is-end", "books, lost, late, start, content", "const isShort = !isFull(one.page);"),
  fault(
    "repeated-page-is-new",
    "failure, requests, lost, liveness: books, endless, hang",
    (code) => code.replace("> 1", "> 40"),
    360,
  ),
  fault("last-record-dropped", "content, lost", (code) => code.replace(".records", ".records.slice(0, 99)"), 60),
  fault(
    "no-page-is-failure",
    "failure",
    (code) => `if (read.kind === "none" && number > 1) throw new TypeError("no such page");${code}`,
    60,
  ),
  fault(
    "equal-records-are-one",
    "content, short",
    (code) => code.replace("last.", "last.records.some(({ digest }) => digest === record.digest) || last."),
    60,
  ),
  fault("order-makes-a-change", "lost, liveness: books, books", "", 60),
  fault("comment-makes-a-change", "lost, liveness: books, books", "const hasComment = comment;"),
  fault(
    "any-failure-is-end",
    "content, short, books, lost, start",
    "if (last.number < 1) end = course.failed(last.number, undefined);",
    960,
  ),
  // What proves the contents of a response.
  fault("unproved-goes-out", "content", "return { proved: [...all], left: 0 };", 180),
  fault("one-record-makes-trust", "content", 'return contents === "auto" && asking.learned.single.compared > 0;'),
  fault("scattered-unlearned", "content, short, lost, liveness: books", "if (learned !== undefined) return;"),
  fault("held-for-ever", "lost, liveness: left", 'return "held";', 180),
  fault("never-held", "liveness: books, requests, idle, lost", "const left = 1;", 180),
  fault("short-not-replaced", "short", "short: settled,"),
  // What is looked for, and where.
  fault(
    "one-pass-only",
    "liveness: books, lost, late",
    "const passAt = state.nextPass !== undefined ? Infinity : (pass?.startedAt ?? nextPass);",
    60,
  ),
  fault("no-re-check", "late, unchecked", (code) => code.replace("await nextRecheckOf(survey)", "Infinity")),
  fault("open-not-seen-again", "lost", "open: settled,", 60),
  fault("open-emitted", "content, ledger, books", 'open: "emit",', 60),
  // What is decided, published and written down.
  fault("books-number-not-fixed", "books told", "", 360),
  fault("digest-of-one-page", "books told", "from = undefined;", 60),
  fault(
    "books-told-once",
    "books told, liveness: books told",
    'survey.note({ kind: "told" }); const { failure } = await tell(survey, [untold]);',
    60,
  ),
  fault("missing-once-is-deleted", "deleted", "const twice = missing.filter((one) => !one.gone?.told);", 60),
  fault("deletion-untold", "deleted", "const { done, failure } = { done: [...events], failure: undefined };", 60),
  fault("survey-change-untold", "survey changed", "return undefined;", 60),
  fault("counts-untold", "survey counts", "return undefined;", 60),
  fault("counts-at-once", "survey counts", "return told?.shown !== countsAs(counts);", 60),
  fault("change-untold", "update", 'if (seen.kind === "told") done.changed += 1;', 60),
  fault(
    "update-keeps-old-digest",
    "update",
    (code) => code.replace(", eventId,", ", digest: response.replaces?.entry.digest ?? response.digest, eventId,"),
    60,
  ),
  fault("ledger-before-bus", "ledger", (code) => `await enter(survey, batch);${code}`, 60),
  fault("failed-counts-as-published", "ledger", (code) => code.replace('=== "published"', '!== "refused"'), 60),
  fault("pending-forgotten", "forgotten, repeat", "", 360),
  fault("publish-unguarded", "fence, repeat", "async () => {},"),
  fault("lost-lease-unnoticed", "fence, repeat", "return;"),
  fault(
    "start-by-our-clock",
    "start, lost",
    (code) =>
      code.replace("newest ?? clockSays", 'new Date(ports.clock.now()).toISOString().slice(0, 19).replace("T", " ")'),
    60,
  ),
  fault("start-by-date-alone", "lost", 'if (entry === undefined) return "unknown";', 180),
  fault("books-before-any", "start", "hasBooks: true,"),
  fault("future-sets-start", "start, lost", "const isPast = () => true;", 360),
  fault("hint-forgotten", "late, lost", ""),
  fault("waiting-unasked", "lost, late, liveness: books", "const next = undefined; counts.waiting = 0;"),
  fault("absent-at-once", "content", "const longEnough = true;", 60),
  fault("given-up-at-once", "content", "return true;", 60),
  fault("too-many-at-once", "in-flight, misuse, failure", (code) => code.replace("10", "25"), 60),
  fault("stale-index-believed", "repeat", "const waiting = due;", 60),
  fault("no-budget", "idle, requests", "const budget: Budget = { left: Number.POSITIVE_INFINITY };"),
  // Backlogs: what is read ahead, on its way, and left to slices.
  fault("left-out-forgotten", "skipped, books, liveness: books, lost, start", ""),
  fault("behind-forgotten", "lost, late", (code) => code.replace("isBehind === true", "isBehind !== true"), 60),
  fault("bus-failure-swallowed", "skipped", ""),
  fault(
    "slice-ends-backlog",
    "skipped, start, lost, liveness: books",
    'if (placeOf(survey.state) !== undefined) survey.note({ kind: "read", purpose: "backlog" });',
    360,
  ),
  fault("slice-stops-at-once", "lost, liveness: books", "if (isOver(step.position - goal)) break;"),
  // What is made of the service's answers.
  fault("other-metadata-taken", "content", "", 60),
  fault("first-metadata-taken", "content", "return body;", 180),
  fault("other-page-taken", "content", "", 600),
  fault("error-body-is-metrics", "content", "", 60),
  fault(
    "metric-list-is-none",
    "content",
    (code) => code.replace("read === null", "read === null || Array.isArray(read)"),
    60,
  ),
  fault("six-is-passive", "content", (code) => code.replace("7", "6"), 60),
  fault("survey-not-named", "content", "", 60),
  fault("labels-from-one", "content", (code) => code.replace("base", "1"), 60),
  fault("later-words-certain", "content", "return false;", 60),
  fault("old-list-believed", "content", ""),
  fault("questions-without-end", "late, liveness: left", "return false;"),
  fault("hanging-detail-blocks", "late, waits", ""),
];
