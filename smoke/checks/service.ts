import { left, type SmokeCheck, type SmokeContext } from "../context.ts";
import { NAMES, OUTPUTS } from "../names.ts";
import { mustBe } from "../run/check.ts";
import { createService } from "../service/answer.ts";
import { startLoopback } from "../service/loopback.ts";
import { SURVEYS } from "../service/plan.ts";
import { deploy } from "./deploy.ts";

/** The survey service, by its URL, and the endpoint of the webhook. */
export const service: SmokeCheck = {
  name: "service",
  needs: [],
  after: ["deployed"],
  deadline: 600_000,
  async run(context, { signal, until }) {
    await deploy(context, NAMES.serviceStack, signal);
    if (context.options.emulator) context.loopback = await startLoopback(createService(context.service));
    const serviceUrl = (context.loopback?.url ?? left(context.outputs.get(OUTPUTS.serviceUrl), "its URL")).replace(
      /\/$/,
      "",
    );
    context.deployed = {
      serviceUrl,
      recorderUrl: context.options.emulator ? undefined : context.outputs.get(OUTPUTS.recorderUrl),
      recordedTable: left(context.outputs.get(OUTPUTS.recordedTable), "the table"),
    };
    const surveys = await until("an answer of the service", () => surveysOf(context, serviceUrl));
    mustBe(
      surveys.length === Object.keys(SURVEYS).length,
      `the service lists ${surveys}`,
      "look at its function's log",
    );
    return `surveys ${surveys.join(", ")} ${context.options.emulator ? "on loopback" : "behind a function URL"}`;
  },
};

/** Those that it lists; undefined while the URL is not yet open. */
async function surveysOf(
  { service: { clientId, clientSecret } }: SmokeContext,
  url: string,
): Promise<number[] | undefined> {
  const body = new URLSearchParams({ clientId, clientSecret });
  const issued = await fetch(`${url}/oauth/token/`, { method: "POST", body }).catch(() => undefined);
  if (!issued?.ok) return undefined;
  const { token } = (await issued.json()) as { token: string };
  const headers = { authorization: `bearer ${token}`, "content-type": "application/json" };
  const answer = await fetch(`${url}/api/v3/surveys/`, { headers });
  if (!answer.ok) return undefined;
  return ((await answer.json()) as { surveyId: number }[]).map(({ surveyId }) => surveyId);
}
