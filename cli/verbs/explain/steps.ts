import type { EventLogLine } from "../../target/event-log.ts";
import { span } from "../../words.ts";
import type { Facts, Step, Timed } from "./answer.ts";

// The history of a response so far, in words.

/** "2026-11-26 19:44:25Z", and with milliseconds where `exact`. */
export function instant(at: number, exact = false): string {
  const text = new Date(at).toISOString();
  return `${text.slice(0, exact ? 23 : 19).replace("T", " ")}Z`;
}

/** Steps of what belongs together. One without a time of its own stands behind the one before it. */
type Group = Step[];

const step = (at: number | null, what: Step["what"], detail: string, took: Step["took"] = []): Step => ({
  ...{ at, what, detail, took },
});

/** Oldest first. */
export function stepsOf(facts: Facts): Step[] {
  const { log, entry } = facts;
  const contents = log.lines.filter(({ type }) => type === "response.completed" || type === "response.updated");
  const first = contents.find(({ type, outcome }) => type === "response.completed" && outcome === "published");
  const groups: Group[] = [
    metSteps(facts),
    ...contents.map((line) =>
      line.type === "response.updated" ? [updateStep(line)] : eventSteps(facts, line, line === first),
    ),
    ...log.lines.map(toldSteps),
    ...ledgerSteps(facts, contents),
    ...(entry?.sight === undefined ? [] : [[step(entry.sight.at, "changed", "it reads otherwise than its event")]]),
    goneSteps(facts),
    bookSteps(facts),
    askedSteps(facts),
  ];
  const timeOf = (group: Group): number => group.find(({ at }) => at !== null)?.at ?? entry?.firstSeen ?? 0;
  return groups.sort((a, b) => timeOf(a) - timeOf(b)).flat();
}

/** From its completion to the ledger. */
function eventSteps({ source, entry }: Facts, line: EventLogLine, isFirst: boolean): Group {
  const { lag, detectedAt, listed, proved, eventId, outcome, at, ms, attempts } = line;
  const steps: Group = [];
  if (isFirst && source.timeZone === undefined) {
    steps.push(step(null, "completed", "when, nobody can say: the source has no timeZone"));
  } else if (isFirst && lag !== undefined) {
    const after = lag < 1_000 ? `${lag} ms` : span(lag);
    steps.push(step(detectedAt - lag, "completed", `its event was made ${after} later`));
  }
  steps.push(step(listed?.at ?? null, "listed", listedText(line)));
  if (proved !== undefined) steps.push(step(null, "proved", PROOFS[proved] ?? proved));
  const took = tookOf(ms, ["metrics", "metadata"]);
  const details = took.map(({ what, ms: time }) => `${what} ${time} ms`);
  if (attempts !== undefined) details.push(`${attempts} attempts`);
  if (details.length > 0) steps.push(step(null, "details", details.join(", "), took));
  steps.push(step(at - (ms.ledger ?? 0), "bus", busText(line), tookOf(ms, ["bus"])));
  if (outcome !== "published" || (ms.ledger === undefined && entry?.eventId !== eventId)) return steps;
  const written = ms.ledger === undefined ? "" : `, written in ${ms.ledger} ms`;
  const detail = `emitted, event ${eventId}, revision ${line.revision ?? 1}${written}`;
  return [...steps, step(at, "ledger", detail, tookOf(ms, ["ledger"]))];
}

function tookOf(times: EventLogLine["ms"], parts: readonly Timed[]): Step["took"] {
  return parts.flatMap((what) => {
    const ms = times[what];
    return ms === undefined ? [] : [{ what, ms }];
  });
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
function listedText({ listed, origin }: EventLogLine): string {
  const order = listed?.order === "desc" ? "newest first" : "oldest first";
  const place = listed === undefined ? "" : `page ${listed.page} (${order}), request ${listed.request} of its run`;
  return [place, originText(origin)].filter(Boolean).join(", ");
}

const PROOFS: Readonly<Record<string, string>> = {
  "its page": "whole by its page",
  "both pages": "whole by both pages beside the edge, read again",
  "single read": "whole by operation 9, asked for by its id",
};

function busText({ outcome, code, batch = 1, ms }: EventLogLine): string {
  const others = batch === 1 ? "alone" : `with ${batch - 1} other${batch === 2 ? "" : "s"}`;
  const verdict = outcome === "published" ? "published" : `${outcome}${code === undefined ? "" : ` (${code})`}`;
  return `${verdict}, ${others}${ms.bus === undefined ? "" : `, in ${ms.bus} ms`}`;
}

function updateStep(line: EventLogLine): Step {
  const { at, revision, changed = [], proved, eventId, ms } = line;
  const what = changed.length === 0 ? "" : `: ${changed.join(", ")} changed`;
  const seen = `${listedText(line)}${proved === undefined ? "" : `; ${PROOFS[proved] ?? proved}`}`;
  const detail = `revision ${revision}${what}; ${seen}; ${busText(line)}; event ${eventId}`;
  return step(at, "updated", detail, tookOf(ms, ["metrics", "metadata", "bus", "ledger"]));
}

function toldSteps({ type, at, outcome }: EventLogLine): Group {
  return type === "response.deleted" ? [step(at, "deleted", `subscribers were told by ${type}: ${outcome}`)] : [];
}

/** When it was met first, where the ledger has kept that: of what is not settled. */
function metSteps({ entry }: Facts): Group {
  if (entry?.firstSeen === undefined || entry.state === "emitted") return [];
  const met = ["met first", originText(entry.origin)].filter(Boolean).join(", ");
  return [step(entry.firstSeen, "met", entry.state === "open" ? "open since then at the latest" : met)];
}

/** The steps that the ledger tells of where no line of the log does. */
function ledgerSteps({ entry, now, mark, account, id }: Facts, lines: readonly EventLogLine[]): Group[] {
  const pending = mark.pending?.find((one) => one.id === id);
  if (pending !== undefined) {
    const detail = `the bus has taken event ${pending.eventId}; the ledger could not be written yet`;
    return [[step(pending.emittedAt ?? null, "ledger", detail)]];
  }
  if (entry === undefined) return [];
  const { state, emittedAt = null, eventId, revision = 1, attempts = 0, reason, nextCheck, refusedRevision } = entry;
  const tried = attempts === 0 ? "" : `; ${attempts} attempt${attempts === 1 ? "" : "s"} so far`;
  const kept =
    nextCheck === undefined ? "; its records are no longer kept" : `; its records are kept until ${instant(nextCheck)}`;
  const nowIs = (what: Step["what"], detail: string): Group[] => [[step(now, what, detail)]];
  switch (state) {
    case "emitted": {
      const isTold = lines.some((line) => line.eventId === eventId && line.outcome === "published");
      const told = [step(emittedAt, "ledger", `emitted, event ${eventId}, revision ${revision}`)];
      const refused = `the bus has refused for good what was to replace it (${refusedRevision})`;
      return [...(isTold ? [] : [told]), ...(refusedRevision === undefined ? [] : nowIs("refused", refused))];
    }
    case "before-floor":
      return nowIs("before the floor", floorText(account));
    case "open":
      return nowIs(
        "open",
        reason === undefined
          ? "not completed when it was looked at last"
          : "its kept records are gone: the next walk takes it up anew",
      );
    case "waiting":
      return nowIs("waiting", `${waitsFor(reason)}${tried}`);
    case "held":
      return nowIs("held", `${HELD}${tried}`);
    case "quarantined":
      return nowIs("quarantined", `${reason ?? "it cannot be read"}${kept}`);
    case "refused":
      return nowIs("refused", `the bus has refused its event for good (${reason ?? "no code"})${kept}`);
  }
}

export const HELD = "nothing proves its contents: it stands across pages, and operation 9 does not confirm it";

/** The things that a waiting response waits for, by reasons such as "metrics:absent metadata:TIMEOUT". */
export function waitsFor(reason = ""): string {
  const parts = reason.split(" ").filter(Boolean);
  const said = parts.map((one) => {
    const [kind = "", code = ""] = one.split(":");
    if (kind === "bus") return `the bus has not taken its event (${code})`;
    if (kind === "event") return `there is no place for its answers (${code})`;
    return code === "absent" ? `the service has no ${kind} of it yet` : `its ${kind} could not be had (${code})`;
  });
  return said.join(", ") || "its reason is not known";
}

export function floorText({ start }: Facts["account"]): string {
  if (start === undefined) return "it is not known yet where history ends";
  if (start.at === null) return "nothing is history";
  const when = start.from === "now" ? "up to" : "before";
  return `what completed ${when} ${start.at} is history, and no event goes out of it`;
}

function goneSteps({ entry, log }: Facts): Group {
  if (entry?.gone === undefined) return [];
  const { since, told } = entry.gone;
  if (told !== true) return [step(since, "gone", "a full pass no longer lists it")];
  if (log.lines.some(({ type }) => type === "response.deleted")) return [];
  return [step(since, "deleted", "no longer listed by two full passes; subscribers were told by response.deleted")];
}

/** The steps that the last closed books tell of, where the ledger alone does not. */
function bookSteps({ mark: { books }, entry, isListed }: Facts): Group {
  if (books === undefined || isListed === undefined || entry?.state === "emitted") return [];
  // What came since that pass began says nothing by not being in it.
  if (!isListed && (entry?.firstSeen ?? 0) > books.startedAt) return [];
  const detail = isListed ? "a full pass lists it" : "a full pass does not list it";
  return [step(books.closedAt, "books", `${detail} (${books.listed} listed)`)];
}

function askedSteps({ looked, now }: Facts): Group {
  if (looked === undefined) return [];
  if (looked === null) return [step(now, "asked", "operation 9 has no such response")];
  const { isCompleted, dateCompleted, records } = looked;
  const completed = isCompleted === true ? `completed ${dateCompleted ?? "without a date"}` : "open";
  const state = isCompleted === null ? "in a state that cannot be read" : completed;
  return [step(now, "asked", `the service has it: ${state}, ${records} record${records === 1 ? "" : "s"}`)];
}
