import { readDefinition } from "../../events/build/definition.ts";
import { SurveyApiError } from "../../survey-api/index.ts";
import { isApart, type Page } from "./listed.ts";
import { type Look, signalOf } from "./look.ts";
import { notSeen } from "./report.ts";
import { type Single, singleFinding, wellKnown } from "./single-response.ts";

/** Operation 3: from where answers count. */
export async function surveyFindings(
  of: Look,
  surveyId: number,
): Promise<{ says: string; value: true; warns?: string }> {
  const definition = readDefinition(await of.api.survey(surveyId, signalOf(of)));
  const question = "index base";
  const base = definition?.indexBase ?? "unknown";
  const count = Object.keys(definition?.questions ?? {}).length;
  if (base === "unknown") of.findings.push(notSeen(question, "no question of the survey has scores that tell"));
  else {
    const says =
      typeof base === "number"
        ? `answers count from ${base}, by the keys of scoreArray`
        : "some questions count from 0, others from 1";
    of.findings.push({ question, found: String(base), says });
  }
  return { says: `it has ${count} questions`, value: true };
}

/** Operation 9, for the response of which the list shows most. */
export async function responseFindings(
  of: Look,
  surveyId: number,
  pages: readonly Page[],
): Promise<{ says: string; value: true; warns?: string }> {
  const question = "operation 9";
  const runs = pages.filter((page) => !isApart(page)).flatMap((page) => wellKnown(page) ?? []);
  const run = runs.toSorted((a, b) => b.records - a.records)[0];
  if (run === undefined) {
    of.findings.push(notSeen(question, "no response is known as a whole"));
    return { says: "none to compare it with", value: true };
  }
  const finding = singleFinding(await singleOf(of, surveyId, run.responseId), run);
  of.findings.push(finding);
  return { says: finding.says, value: true };
}

/** Operations 11 and 13, for one completed response: an event waits for both. */
export async function triedDetails(of: Look, surveyId: number, pages: readonly Page[]): Promise<void> {
  const run = pages.flatMap(({ runs }) => runs).find(({ completed }) => completed === true);
  if (run === undefined) return;
  for (const kind of ["metrics", "metadata"] as const) {
    if (of.enrich?.[kind] === false) continue;
    await of.part(kind, async () => {
      try {
        await of.api[kind](surveyId, run.responseId, signalOf(of));
        return { says: `the service gives those of response ${run.responseId}`, value: true };
      } catch (error) {
        if (!(error instanceof SurveyApiError) || error.code !== "NOT_FOUND") throw error;
        const warns = "An event waits for them, and goes out without in the end (`absentAfter`).";
        return { says: `the service has none of response ${run.responseId}`, value: true, warns };
      }
    });
  }
}

async function singleOf(of: Look, surveyId: number, responseId: number): Promise<Single> {
  const operation = "get survey response by id";
  try {
    const { records, raw } = await of.api.response(surveyId, responseId, signalOf(of));
    return { kind: "records", records, raw };
  } catch (error) {
    if (!(error instanceof SurveyApiError) || error.operation !== operation) throw error;
    if (error.code === "NOT_FOUND") return { kind: "absent" };
    if (error.code === "UNREADABLE_BODY" || error.code === "ANSWER_MISMATCH") return { kind: "unreadable" };
    throw error;
  }
}
