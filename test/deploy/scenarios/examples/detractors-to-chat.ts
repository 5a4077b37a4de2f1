import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TruthResponse } from "../../../../local/simulator/index.ts";
import { until } from "../../support/until.ts";
import { commandOf } from "../operated.ts";
import { deployExample, type ExampleStage, untilAfterTicks } from "./stage.ts";

const NAME = "detractors-to-chat";

interface Chat {
  url: string;
  /** In the order in which they came. */
  messages: string[];
  close(): void;
}

async function startChat(): Promise<Chat> {
  const messages: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (chunk: string) => {
      body += chunk;
    });
    request.on("end", () => {
      messages.push((JSON.parse(body) as { text: string }).text);
      response.writeHead(request.url === "/services/secret" ? 200 : 404).end("ok");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/services/secret`, messages, close: () => void server.close() };
}

/** Points of the first metric, which is NPS. */
function pointsOf({ metrics }: TruthResponse): number {
  const [byKey] = metrics as [Record<string, { score: { pointsSum: number } }>];
  const [first] = Object.values(byKey);
  assert.ok(first !== undefined);
  return first.score.pointsSum;
}

export async function detractorsToChat(on: ExampleStage): Promise<void> {
  const { report, stage, surveyId } = on;
  const { simulator } = stage;
  const chat = await startChat();
  const example = await report.step(`${NAME}: deployed by its README`, () =>
    deployExample(on, NAME, { more: "-c withComment=true", input: `${chat.url}\n` }),
  );
  await report.step(`${NAME}: the chat hears of each detractor, and of nobody else`, async (note) => {
    simulator.complete(surveyId, 20);
    const truth = simulator.truth(surveyId);
    const detractors = truth.filter((one) => pointsOf(one) <= 6);
    assert.ok(detractors.length > 0 && detractors.length < truth.length, "a filter that tells nothing apart");
    const said = (text: string) => / (\d+) of 10 \(survey (\d+), response (\d+)\)/.exec(text)?.slice(1).map(Number);
    // Surveys of other examples have detractors too.
    const heard = () => chat.messages.map(said).filter((parts) => parts?.[1] === surveyId);
    await untilAfterTicks(on, "the chat lacks messages", async () => heard().length >= detractors.length);
    assert.deepEqual(heard().sort(), detractors.map((one) => [pointsOf(one), surveyId, one.responseId]).sort());
    note(`${detractors.length} of ${truth.length} responses, such as: ${chat.messages[0]?.replaceAll("\n", " ")}`);
  });
  await report.step(`${NAME}: a test event is marked as one`, async () => {
    await commandOf(stage)(["trigger", "detractor", "--yes"]);
    await until("no test message", async () => chat.messages.some((text) => text.startsWith("[test] *Detractor*")));
  });
  await report.step(`${NAME}: destroyed`, example.destroy);
  chat.close();
}
