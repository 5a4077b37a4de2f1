import assert from "node:assert/strict";
import { startCrm } from "../../../examples/support/crm.ts";
import { survey } from "../../support/command.ts";
import { deployExample, type ExampleStage } from "../../support/examples.ts";
import { completed, untilAfterTicks, untilArrived } from "../../support/ticks.ts";
import { until } from "../../support/until.ts";

export async function detractorsToCrm(on: ExampleStage): Promise<void> {
  const { report, simulator, surveyId } = on;
  const crm = await startCrm();
  const input = `${JSON.stringify(crm.secret)}\n`;
  const example = await deployExample(on, { more: "-c withComment=true", input });
  const detractors = () =>
    completed(on, surveyId).filter(({ detail }) => detail.data.summary.nps?.class === "detractor");
  const keyOf = ({ detail: { meta, data } }: ReturnType<typeof completed>[number]): string =>
    data.response.crk || `${meta.sourceName} ${data.surveyId} ${data.responseId}`;
  const ofSurvey = () => [...crm.tickets.values()].filter(({ text }) => text.includes(`Survey ${surveyId}, `));
  await report.step("each detractor has one ticket, and nobody else", async (note) => {
    simulator.complete(surveyId, 20);
    await untilArrived(on);
    // An event may come twice, so keys are counted.
    const keys = new Set(detractors().map(keyOf));
    const all = new Set(completed(on, surveyId).map(keyOf));
    assert.ok(
      keys.size > 0 && keys.size < all.size,
      `${keys.size} of ${all.size} are detractors: nothing to tell apart`,
    );
    await untilAfterTicks(on, "tickets are missing", () => ofSurvey().length >= keys.size);
    assert.equal(ofSurvey().length, keys.size);
    for (const key of keys) assert.ok(crm.tickets.has(key), key);
    note(`${keys.size} tickets, such as: ${ofSurvey()[0]?.subject}`);
  });
  await report.step("a test event has a ticket of its own", async () => {
    await survey(on, "trigger detractor --yes");
    await until("no test ticket", () => [...crm.tickets.keys()].some((key) => key.startsWith("[test] ")));
  });
  await report.step("destroyed", example.destroy);
  await crm.close();
}
