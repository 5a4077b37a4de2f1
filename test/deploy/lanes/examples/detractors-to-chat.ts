import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { survey } from "../../support/command.ts";
import { deployExample, type ExampleStage } from "../../support/examples.ts";
import { completed, untilAfterTicks, untilArrived } from "../../support/ticks.ts";
import { until } from "../../support/until.ts";

const PATH = "/services/secret";

export async function detractorsToChat(on: ExampleStage): Promise<void> {
  const { report, simulator, surveyId } = on;
  const messages: string[] = [];
  const chat = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    messages.push((JSON.parse(body) as { text: string }).text);
    response.writeHead(request.url === PATH ? 200 : 404).end("ok");
  });
  await once(chat.listen(0, "127.0.0.1"), "listening");
  const { port } = chat.address() as AddressInfo;
  const input = `http://127.0.0.1:${port}${PATH}\n`;
  const example = await deployExample(on, { more: "-c withComment=true", input });
  await report.step("the chat hears of each detractor, and of nobody else", async (note) => {
    simulator.complete(surveyId, 20);
    await untilArrived(on);
    const all = completed(on, surveyId).map(({ detail }) => detail.data);
    const detractors = all.filter(({ summary }) => summary.nps?.class === "detractor");
    assert.ok(detractors.length > 0 && detractors.length < all.length, "a filter that tells nothing apart");
    // Surveys of other examples have detractors too.
    const said = (text: string) => / \d+ of 10 \(survey (\d+), response \d+\)/.exec(text);
    const heard = () => messages.map(said).flatMap((one) => (one?.[1] === String(surveyId) ? [one[0]] : []));
    await untilAfterTicks(on, "the chat lacks messages", () => heard().length >= detractors.length);
    const wanted = detractors.map(
      ({ summary, responseId }) => ` ${summary.nps?.score} of 10 (survey ${surveyId}, response ${responseId})`,
    );
    assert.deepEqual(heard().sort(), wanted.sort());
    note(`${detractors.length} of ${all.length} responses, such as: ${messages[0]?.replaceAll("\n", " ")}`);
  });
  await report.step("a test event is marked as one", async () => {
    await survey(on, "trigger detractor --yes");
    await until("no test message", () => messages.some((text) => text.startsWith("[test] *Detractor*")));
  });
  await report.step("destroyed", example.destroy);
  chat.close();
}
