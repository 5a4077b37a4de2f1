import assert from "node:assert/strict";
import { startCrm } from "../../../examples/support/crm.ts";
import { survey } from "../../support/command.ts";
import { deployExample, type ExampleStage } from "../../support/examples.ts";
import { output } from "../../support/stage.ts";
import { completed, untilAfterTicks, untilArrived } from "../../support/ticks.ts";
import { until } from "../../support/until.ts";

export async function detractorsToCrm(on: ExampleStage): Promise<void> {
  const { report, simulator, aws, surveyId } = on;
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
    const keys = new Set(detractors().map(keyOf));
    assert.ok(keys.size > 0 && detractors().length < 20, "a filter that tells nothing apart");
    await untilAfterTicks(on, "tickets are missing", () => ofSurvey().length >= keys.size);
    assert.equal(ofSurvey().length, keys.size);
    for (const key of keys) assert.ok(crm.tickets.has(key), key);
    note(`${keys.size} tickets, such as: ${ofSurvey()[0]?.subject}`);
  });
  await report.step("events that come again change nothing", async () => {
    const repeat = async () => {
      for (const event of detractors()) {
        const again = await aws.invoke(output(example, "FunctionName"), { ...event, id: "another delivery" });
        assert.equal(again.failed, false);
      }
      // Other examples have detractors too.
      return structuredClone(ofSurvey());
    };
    // The emulator does not try again what has waited too long for its customer.
    const before = await repeat();
    assert.deepEqual(await repeat(), before);
  });
  await report.step("an update edits the ticket", async () => {
    const [shown] = ofSurvey();
    const event = detractors().find(({ detail }) => shown?.text.includes(`response ${detail.data.responseId},`));
    assert.ok(event !== undefined);
    const { meta, data } = event.detail;
    const summary = { ...data.summary, nps: { score: 10, class: "promoter" } };
    const detail = { meta: { ...meta, revision: meta.revision + 1 }, data: { ...data, summary } };
    const edited = await aws.invoke(output(example, "FunctionName"), {
      ...event,
      "detail-type": "response.updated",
      detail,
    });
    assert.equal(edited.failed, false);
    assert.match(crm.tickets.get(keyOf(event))?.subject ?? "", /: 10 of 10/);
  });
  await report.step("a test event has a ticket of its own", async () => {
    await survey(on, "trigger detractor --yes");
    await until("no test ticket", () => [...crm.tickets.keys()].some((key) => key.startsWith("[test] ")));
  });
  await report.step("destroyed", example.destroy);
  await crm.close();
}
