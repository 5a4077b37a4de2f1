import type { CheckLine, Finding } from "../../../lib/operator/probe/report.ts";
import type { Io } from "../../io.ts";
import { count } from "../../words.ts";
import type { DoctorAnswer, ServiceAnswer } from "./answer.ts";

const LOOKS = { ok: ["✓", "green"], warn: ["▲", "yellow"], fail: ["■", "red"] } as const;

/** A line for each check, with what to do below; then what each service does, and the configuration that goes with it. */
export function doctorText({ checks, services, requests }: DoctorAnswer, { style }: Pick<Io, "style">): string[] {
  const several = services.length > 1;
  const named = services.map(({ source, checks: own }) => (several ? own.map((line) => ofSource(line, source)) : own));
  return [
    ...checkLines([...named.flat(), ...checks], style),
    ...services.flatMap((service) => serviceLines(service, several)),
    "",
    `${count(requests, "request")} made to ${several ? "the services" : "the service"}.`,
  ];
}

const ofSource = (line: CheckLine, source: string | null): CheckLine => ({
  ...line,
  check: `${line.check} of ${source ?? "the service"}`,
});

function checkLines(checks: readonly CheckLine[], style: Io["style"]): string[] {
  const width = Math.max(0, ...checks.map(({ check }) => check.length));
  return checks.flatMap(({ check, state, says, todo }) => {
    const [glyph, colour] = LOOKS[state];
    const line = `${style(colour, glyph)} ${check.padEnd(width)}  ${says}`;
    return todo === null || todo === "" ? [line] : [line, `  ${" ".repeat(width)}  → ${todo}`];
  });
}

function serviceLines({ source, findings, suggests, surveyId }: ServiceAnswer, several: boolean): string[] {
  const shown = surveyId === null ? findings.filter(({ found }) => found !== null) : findings;
  if (shown.length === 0) return [];
  const config = Object.keys(suggests.config).length === 0 ? [] : [`  ${JSON.stringify(suggests.config)}`];
  const notes = suggests.notes.map((note) => `  ${note}`);
  return [
    "",
    `What the API document leaves open, and ${several ? `the service of ${source}` : "this service"} does${surveyId === null ? "" : `, by survey ${surveyId}`}:`,
    ...findingLines(shown),
    ...(config.length + notes.length === 0 ? [] : ["", "For the configuration:", ...config, ...notes]),
  ];
}

function findingLines(findings: readonly Finding[]): string[] {
  const width = Math.max(...findings.map(({ question }) => question.length));
  return findings.map(({ question, found, says }) => {
    const text = found === null || found === says ? says : `${found}: ${says}`;
    return `  ${question.padEnd(width)}  ${text}`;
  });
}
