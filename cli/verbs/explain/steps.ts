import type { EventLogLine } from "../../target/event-log.ts";
import { span } from "../../words.ts";
import type { Facts, Step } from "./answer.ts";

/** A step before what it took is known: most take no time that is told. */
type Told = Omit<Step, "took"> & Partial<Pick<Step, "took">>;

const NAMES = {
  "response.withheld": "withheld",
  "response.released": "released",
  "response.deleted": "deleted",
} as const;

/** The history of a response so far, oldest first. A step without a time of its own stands behind the one before it. */
export function stepsOf(facts: Facts): Step[] {
  return toldOf(facts).map((step) => ({ took: [], ...step }));
}

function toldOf(facts: Facts): Told[] {
  const { log, entry } = facts;
  const contents = log.lines.filter(({ type }) => type === "response.completed" || type === "response.updated");
  const first = contents.find(({ type, outcome }) => type === "response.completed" && outcome === "published");
  const groups: Told[][] = [
    ...metSteps(facts),
    ...contents.map((line) =>
      line.type === "response.updated" ? [updateStep(line)] : eventSteps(facts, line, line === first),
    ),
    ...log.lines.flatMap((line) => toldSteps(line)),
    ...ledgerSteps(facts, contents),
    ...changeSteps(facts),
    ...goneSteps(facts),
    ...bookSteps(facts),
    ...askedSteps(facts),
  ];
  const timeOf = (group: Told[]): number => group.find(({ at }) => at !== null)?.at ?? entry?.firstSeen ?? 0;
  return groups.sort((a, b) => timeOf(a) - timeOf(b)).flat();
}

/** From its completion to the ledger. */
function eventSteps({ source, entry }: Facts, line: EventLogLine, isFirst: boolean): Told[] {
  const { lag, detectedAt, listed, proved, eventId, outcome, at, ms } = line;
  const isDated = isFirst && lag !== undefined && source.timeZone !== undefined;
  const details = detailsText(line);
  const steps: Told[] = [];
  if (isFirst && source.timeZone === undefined) {
    const detail = "when, nobody can say: the source has no timeZone";
    steps.push({ at: null, what: "completed", detail });
  }
  if (isDated) {
    const detail = `its event was made ${lag < 1_000 ? `${lag} ms` : span(lag)} later`;
    steps.push({ at: detectedAt - lag, what: "completed", detail });
  }
  steps.push({ at: listed?.at ?? null, what: "listed", detail: listedText(line) });
  if (proved !== undefined) steps.push({ at: null, what: "proved", detail: proofText(proved) });
  if (details !== "")
    steps.push({ at: null, what: "details", detail: details, took: tookOf(ms, ["metrics", "metadata"]) });
  steps.push({ at: at - (ms.ledger ?? 0), what: "bus", detail: busText(line), took: tookOf(ms, ["bus"]) });
  if (outcome !== "published" || (ms.ledger === undefined && entry?.eventId !== eventId)) return steps;
  const written = ms.ledger === undefined ? "" : `, written in ${ms.ledger} ms`;
  const detail = `emitted, event ${eventId}, revision ${line.revision ?? 1}${written}`;
  steps.push({ at, what: "ledger", detail, took: tookOf(ms, ["ledger"]) });
  return steps;
}

function tookOf(times: EventLogLine["ms"], parts: readonly Step["took"][number]["what"][]): Step["took"] {
  return parts.flatMap((what) => {
    const ms = times[what];
    return ms === undefined ? [] : [{ what, ms }];
  });
}

function updateStep(line: EventLogLine): Told {
  const { at, revision, changed = [], proved, eventId } = line;
  const what = changed.length === 0 ? "" : `: ${changed.join(", ")} changed`;
  const seen = `${listedText(line)}${proved === undefined ? "" : `; ${proofText(proved)}`}`;
  const detail = `revision ${revision}${what}; ${seen}; ${busText(line)}; event ${eventId}`;
  return { at, what: "updated", detail, took: tookOf(line.ms, ["metrics", "metadata", "bus", "ledger"]) };
}

function toldSteps({ type, at, state, outcome }: EventLogLine): Told[][] {
  const what = NAMES[type as keyof typeof NAMES];
  if (what === undefined) return [];
  const how = state === undefined ? "" : ` (${state})`;
  return [[{ at, what, detail: `subscribers were told by ${type}${how}: ${outcome}` }]];
}

/** When it was met first, where the ledger has kept that: of what is not settled. */
function metSteps({ entry }: Facts): Told[][] {
  if (entry?.firstSeen === undefined || entry.state === "emitted") return [];
  const { firstSeen, origin, state } = entry;
  const how = originText(origin);
  const detail = state === "open" ? "open since then at the latest" : `met first${how === "" ? "" : `, ${how}`}`;
  return [[{ at: firstSeen, what: "met", detail }]];
}

/** The steps that the ledger tells of where no line of the log does. */
function ledgerSteps({ entry, now, mark, account, id }: Facts, lines: readonly EventLogLine[]): Told[][] {
  const pending = mark.pending?.find((one) => one.id === id);
  if (pending !== undefined) {
    const detail = `the bus has taken event ${pending.eventId}; the ledger could not be written yet`;
    return [[{ at: pending.emittedAt ?? null, what: "ledger", detail }]];
  }
  if (entry === undefined) return [];
  const { state, emittedAt = null, eventId, revision = 1, attempts = 0, reason, nextCheck } = entry;
  const tried = attempts === 0 ? "" : `; ${attempts} attempt${attempts === 1 ? "" : "s"} so far`;
  if (state === "emitted") {
    const refused = entry.refusedRevision;
    const isTold = lines.some((line) => line.eventId === eventId && line.outcome === "published");
    return [
      ...(isTold
        ? []
        : [[{ at: emittedAt, what: "ledger" as const, detail: `emitted, event ${eventId}, revision ${revision}` }]]),
      ...(refused === undefined
        ? []
        : [
            [
              {
                at: now,
                what: "refused" as const,
                detail: `the bus has refused for good what was to replace it (${refused})`,
              },
            ],
          ]),
    ];
  }
  const step = (what: Step["what"], detail: string): Told[][] => [[{ at: now, what, detail }]];
  switch (state) {
    case "before-floor":
      return step("before the floor", floorText(account));
    case "open":
      return step(
        "open",
        reason === undefined
          ? "not completed when it was looked at last"
          : "its kept records are gone: the next walk takes it up anew",
      );
    case "waiting":
      return step("waiting", `${waitsFor(reason)}${tried}`);
    case "held":
      return step("held", `${heldText()}${tried}`);
    case "quarantined":
      return step("quarantined", `${reason ?? "it cannot be read"}${keptText(nextCheck)}`);
    case "refused":
      return step("refused", `the bus has refused its event for good (${reason ?? "no code"})${keptText(nextCheck)}`);
  }
}

export function heldText(): string {
  return "nothing proves its contents: it stands across pages, and operation 9 does not confirm it";
}

function keptText(until: number | undefined): string {
  return until === undefined ? "; its records are no longer kept" : `; its records are kept until ${instant(until)}`;
}

export function floorText({ start }: Facts["account"]): string {
  if (start === undefined) return "it is not known yet where history ends";
  if (start.at === null) return "nothing is history";
  return start.from === "now"
    ? `what completed up to ${start.at} is history, and no event goes out of it`
    : `what completed before ${start.at} is history, and no event goes out of it`;
}

function changeSteps({ mark, id }: Facts): Told[][] {
  return (mark.changes ?? [])
    .filter((sight) => sight.id === id)
    .map(({ at, page }) => [{ at, what: "changed", detail: `it reads otherwise than its event, on page ${page}` }]);
}

function goneSteps({ entry, log }: Facts): Told[][] {
  if (entry?.gone === undefined) return [];
  const { since, told } = entry.gone;
  const isLogged = log.lines.some(({ type }) => type === "response.deleted");
  const step = (what: Step["what"], detail: string): Told[] => [{ at: since, what, detail }];
  if (told !== true) return [step("gone", "a full pass no longer lists it")];
  return isLogged
    ? []
    : [step("deleted", "no longer listed by two full passes; subscribers were told by response.deleted")];
}

/** The steps that the last closed books tell of, where the ledger alone does not. */
function bookSteps({ mark, entry, isListed }: Facts): Told[][] {
  const { books } = mark;
  if (books === undefined || isListed === undefined || entry?.state === "emitted") return [];
  // What came since that pass began says nothing by not being in it.
  if (!isListed && (entry?.firstSeen ?? 0) > books.startedAt) return [];
  const detail = isListed ? "a full pass lists it" : "a full pass does not list it";
  return [[{ at: books.closedAt, what: "books", detail: `${detail} (${books.listed} listed)` }]];
}

function askedSteps({ looked, now }: Facts): Told[][] {
  if (looked === undefined) return [];
  if (looked === null) return [[{ at: now, what: "asked", detail: "operation 9 has no such response" }]];
  const { isCompleted, dateCompleted, records } = looked;
  const state =
    isCompleted === null
      ? "in a state that cannot be read"
      : isCompleted
        ? `completed ${dateCompleted ?? "without a date"}`
        : "open";
  return [
    [{ at: now, what: "asked", detail: `the service has it: ${state}, ${records} record${records === 1 ? "" : "s"}` }],
  ];
}

// Words for what codes and figures mean.

/** "2026-11-26 19:44:25Z", and with milliseconds where `exact`. */
export function instant(at: number, exact = false): string {
  return `${new Date(at)
    .toISOString()
    .slice(0, exact ? 23 : 19)
    .replace("T", " ")}Z`;
}

const ORIGINS: Readonly<Record<string, string>> = {
  head: "by reading the head of the list",
  "catch-up": "by a catch-up",
  search: "by a search below the head",
  patrol: "by the patrol",
  "full-pass": "by a full pass",
  recheck: "by a re-check of open or held ones",
  replay: "by a redrive",
};

function originText(origin: string | undefined): string {
  return origin === undefined ? "" : (ORIGINS[origin] ?? `by ${origin}`);
}

/** Where it was listed. */
function listedText({ listed, origin }: Pick<EventLogLine, "listed" | "origin">): string {
  if (listed === undefined) return originText(origin);
  const order = listed.order === "desc" ? "newest first" : "oldest first";
  return [`page ${listed.page} (${order}), request ${listed.request} of its run`, originText(origin)]
    .filter(Boolean)
    .join(", ");
}

const PROOFS: Readonly<Record<string, string>> = {
  "its page": "whole by its page",
  "both pages": "whole by both pages beside the edge, read again",
  "operation 9": "whole by operation 9, asked for by its id",
};

function proofText(proved: string): string {
  return PROOFS[proved] ?? proved;
}

function detailsText({ ms, attempts }: Pick<EventLogLine, "ms" | "attempts">): string {
  const took = (["metrics", "metadata"] as const).flatMap((kind) =>
    ms[kind] === undefined ? [] : [`${kind} ${ms[kind]} ms`],
  );
  return [...took, ...(attempts === undefined ? [] : [`${attempts} attempts`])].join(", ");
}

function busText({ outcome, code, batch = 1, ms }: EventLogLine): string {
  const others = batch === 1 ? "alone" : `with ${batch - 1} other${batch === 2 ? "" : "s"}`;
  const verdict = outcome === "published" ? "published" : `${outcome}${code === undefined ? "" : ` (${code})`}`;
  return `${verdict}, ${others}${ms.bus === undefined ? "" : `, in ${ms.bus} ms`}`;
}

const OF_OTHERS: Readonly<Record<string, (code: string) => string>> = {
  bus: (code) => `the bus has not taken its event (${code})`,
  event: (code) => `there is no place for its answers (${code})`,
};

/** The things that a waiting response waits for, by reasons such as "metrics:absent metadata:TIMEOUT". */
export function waitsFor(reason = ""): string {
  const parts = reason
    .split(" ")
    .filter(Boolean)
    .map((one) => {
      const [kind = "", code = ""] = one.split(":");
      const said = OF_OTHERS[kind]?.(code);
      if (said !== undefined) return said;
      return code === "absent" ? `the service has no ${kind} of it yet` : `its ${kind} could not be had (${code})`;
    });
  return parts.length === 0 ? "its reason is not known" : parts.join(", ");
}
