import assert from "node:assert/strict";
import { DETAIL_TYPE, EVENT_TYPES } from "../../../lib/events/index.ts";
import { ROOT } from "../support/cdk.ts";
import { requestsOfFunctions } from "../support/faults.ts";
import { succeed } from "../support/processes.ts";
import { subscribe } from "../support/subscription.ts";
import { WEBHOOK_SECRET } from "../support/webhook.ts";
import { addBacklog, allArrived, booksAreRight, DETRACTORS, eventsAreRight, someLabel } from "./settled.ts";
import { type Deployment, output, type Stage, type Subscribers } from "./stage.ts";

/** Credentials, subscribers, and all ways in which an event may come to be: history, news, backlog. */
export async function eventsArrive(stage: Stage, deployment: Deployment): Promise<Subscribers> {
  const { report, simulator, emulator, webhook } = stage;
  report.part("Events");
  const subscribers = await subscribed(stage, deployment);
  await report.step("npx survey-poller credentials fills them in, from standard input", async (note) => {
    const { clientId, clientSecret } = simulator;
    const args = ["survey-poller", "credentials", "--base-url", simulator.url, "--yes"];
    const input = JSON.stringify({ clientId, clientSecret });
    const { stdout } = await succeed("npx", args, { cwd: ROOT, env: emulator.env, limit: 60_000, input });
    note(stdout.split("\n")[0] ?? "");
  });
  await historyGoesOut(stage, deployment, subscribers);
  await report.step("the webhook has had the detractors, with the token from its secret", async (note) => {
    const { pathname, search } = new URL(webhook.config.url);
    for (const { method, path, headers } of webhook.taken()) {
      const { authorization, "content-type": type } = headers;
      const wanted = [
        "POST",
        `${pathname}${search}`,
        `Bearer ${WEBHOOK_SECRET.token}`,
        "application/json; charset=utf-8",
      ];
      assert.deepEqual([method, path, authorization, type], wanted);
    }
    note(`${webhook.taken().length} requests for ${webhook.config.url}`);
  });
  await report.step("a backlog is worked off by the ticks themselves", async (note) => {
    addBacklog(stage, 4);
    await allArrived(stage, deployment, subscribers, { within: 60_000 });
    const { SendMessage = 0 } = await requestsOfFunctions(emulator);
    assert.equal(SendMessage, 0, "something was left to a queue");
    note(await nothingTwice(stage, deployment, subscribers));
  });
  return subscribers;
}

const TOLD = EVENT_TYPES.filter((type) => type !== DETAIL_TYPE);

export function subscribed(stage: Stage, deployment: Deployment): Promise<Subscribers> {
  const { report, aws } = stage;
  return report.step(
    "a queue subscribes to every completed response, others to all else that is told, to detractors and to a label of an answer",
    async () => {
      const bus = output(deployment, "BusName");
      const label = someLabel(stage);
      const completed = { "detail-type": ["response.completed"] };
      return {
        everything: await subscribe(aws, bus, "everything", completed),
        told: await subscribe(aws, bus, "told", { source: ["survey-poller"], "detail-type": TOLD }),
        detractors: await subscribe(aws, bus, "detractors", DETRACTORS),
        labelled: await subscribe(aws, bus, "labelled", {
          ...completed,
          detail: { data: { answers: { labels: [label] } } },
        }),
        label,
      };
    },
  );
}

export async function historyGoesOut(stage: Stage, deployment: Deployment, subscribers: Subscribers): Promise<void> {
  const { report, aws } = stage;
  await report.step("the next tick emits the history", async (note) => {
    const { failed, payload } = await aws.invoke(output(deployment, "PollFunctionName"));
    assert.equal(failed, false, JSON.stringify(payload));
    await allArrived(stage, deployment, subscribers, { within: 20_000 });
    note(await nothingTwice(stage, deployment, subscribers));
  });
}

async function nothingTwice(stage: Stage, deployment: Deployment, subscribers: Subscribers): Promise<string> {
  const said = await eventsAreRight(stage, subscribers, 0);
  await booksAreRight(stage, output(deployment, "TableName"), subscribers);
  return said;
}
