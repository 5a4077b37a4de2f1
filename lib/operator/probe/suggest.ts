import type { Finding, ProbeReport, Question } from "./report.ts";

type Note = (found: string) => string | undefined;

/** The meaning of a finding for somebody who runs the poller. Most findings mean nothing. */
const NOTES: Partial<Record<Question, Note>> = {
  "tokens at once": (found) =>
    found === "one" ? "Give the poller credentials of its own: each new token ends the one before." : undefined,
  "records together": (found) =>
    found === "no" ? "Contents come from operation 9 alone, one request a response." : undefined,
  "open responses": (found) =>
    found === "listed" ? "Open responses are noted, and go out once they are completed." : undefined,
  "operation 9": (found) =>
    found === "all records" ? undefined : "Operation 9 is no proof here: edges of pages are read twice instead.",
  "index base": (found) =>
    found === "0" || found === "1"
      ? undefined
      : 'Events will carry no labels of answers: "questions": "labels" would be of no use.',
  "zone of dates": () => undefined,
};

export function suggestionOf(findings: readonly Finding[], zone: string | undefined): ProbeReport["suggests"] {
  const notes = findings.flatMap(({ question, found }) => (found === null ? [] : (NOTES[question]?.(found) ?? [])));
  if (zone === undefined)
    notes.push("Give `timeZone` where the service's zone is known: without it events carry no instants.");
  return { config: zone === undefined ? {} : { timeZone: zone }, notes };
}
