import { isObject, readId } from "../../events/build/fields.ts";
import { selected } from "../../polling/model/source.ts";
import { listFindings } from "./list-findings.ts";
import { Ended, type Look, lookWith, type ProbeOptions, type Row, signalOf } from "./look.ts";
import { notSeen, type ProbeReport, QUESTIONS } from "./report.ts";
import { suggestionOf } from "./suggest.ts";
import { keptFindings, renewedFindings, tokensAtOnce } from "./token.ts";
import { retryAfterFinding, watch } from "./watch.ts";
import { zoneFinding } from "./zone.ts";

/**
 * Looks at a survey service in a dozen requests or so, and says what of it the API document leaves open. Never throws for what the service does:
 * that is a check that has failed.
 */
export async function probe(options: ProbeOptions): Promise<ProbeReport> {
  const watching = watch();
  const looked = lookWith(options, watching);
  try {
    await look(looked);
  } catch (error) {
    if (!(error instanceof Ended)) throw error;
  } finally {
    watching.end();
  }
  const { checks, surveyId, zone, zones } = looked;
  const found = [...looked.findings, retryAfterFinding(watching.pauses())];
  const findings = QUESTIONS.map(
    (question) => found.find((one) => one.question === question) ?? notSeen(question, "it did not come that far"),
  );
  return { checks, findings, suggests: suggestionOf(findings, zone), zones, requests: watching.requests(), surveyId };
}

async function look(of: Look): Promise<void> {
  const { api, another, now } = of;
  const isTold = await of.part("credentials", async () => {
    if (another === undefined) {
      of.findings.push(...keptFindings(await api.token(), now()));
      return { says: "there is a token", value: true };
    }
    const renewed = await api.renewToken();
    of.findings.push(...renewedFindings(renewed, await api.token(), now()));
    return { says: "the service gives a token for them", value: true };
  });
  if (isTold === undefined) return;

  const listed = await of.part("survey list", () => surveysOf(of));
  if (listed === undefined) return;
  const rows = listed.filter(({ surveyId }) => selected(surveyId, of.surveys ?? "all"));
  if (another === undefined) of.findings.push(notSeen("tokens at once", "it would cost the poller its token"));
  else of.findings.push(await tokensAtOnce(api, another));

  const pages = await listFindings(of, rows);
  const { finding, zone, zones } = zoneFinding(rows, pages, now());
  of.findings.push(finding);
  Object.assign(of, { zone, zones });
}

async function surveysOf(of: Look): Promise<{ says: string; value: Row[]; warns?: string }> {
  const elements = await of.api.elements("get survey list", {}, signalOf(of));
  const rows = elements.flatMap((element): Row[] => {
    const surveyId = isObject(element) ? readId(element.surveyId) : undefined;
    return isObject(element) && surveyId !== undefined ? [{ ...element, surveyId }] : [];
  });
  const says = `${rows.length} ${rows.length === 1 ? "survey" : "surveys"}`;
  if (rows.length < elements.length)
    return { says, value: rows, warns: "Some rows have no surveyId: ask the service's operator." };
  if (rows.length === 0)
    return { says, value: rows, warns: "Do the credentials belong to the account with the surveys?" };
  return { says, value: rows };
}
