import assert from "node:assert/strict";
import { CreateSecretCommand, PutSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { PurgeQueueCommand, ReceiveMessageCommand } from "@aws-sdk/client-sqs";
import { Webhook } from "standardwebhooks";
import type { WebhookAnswer } from "../../../cli/verbs/trigger.ts";
import { DETAIL_TYPE } from "../../../lib/events/index.ts";
import { until } from "../support/until.ts";
import { SIGNING, WEBHOOK_SECRET, type WebhookRequest } from "../support/webhook.ts";
import type { Operated } from "./operated.ts";
import { output } from "./stage.ts";

const TEST = ["trigger", "--webhook", "signed"];

/** Before the first event: a webhook whose secret nobody has made yet, and one that can sign. */
export async function signingSecretIsMade({ stage, command }: Operated): Promise<void> {
  const { report, aws, signed } = stage;
  await report.step("trigger --webhook: without a signing secret it says what to put there", async (note) => {
    const dry = (await command(TEST)).json as WebhookAnswer;
    assert.deepEqual([dry.dryRun, dry.delivery], [true, null]);
    assert.ok(!dry.endpoint.includes("team="), dry.endpoint);
    const { error } = (await command([...TEST, "--yes"], { code: 1 })).json as { error: Record<string, string> };
    assert.equal(error.code, "SIGNING_SECRET_MISSING");
    assert.deepEqual(signed.came, []);
    note(`${error.message}. ${error.hint}`);
  });
  await report.step("trigger --webhook: posts a signed test event through the deployed forwarder", async (note) => {
    const { secret: Name } = signed.config.signing;
    const SecretString = JSON.stringify({ secrets: [SIGNING.first] });
    await aws.secrets.send(new CreateSecretCommand({ Name, SecretString }));
    signed.knows(SIGNING.first);
    const { delivery, eventId } = (await command([...TEST, "--yes"])).json as WebhookAnswer;
    assert.deepEqual([delivery?.status, delivery?.outcome], [204, "taken"]);
    const [one] = signed.taken();
    assert.equal(one?.headers["webhook-id"], eventId);
    assert.equal(one?.headers["x-api-key"], WEBHOOK_SECRET.value);
    assert.equal((one?.event.detail.meta as { test?: boolean } | undefined)?.test, true);
    assert.equal(one?.path, "/signed?team=research");
    signed.refuse(503, 1);
    const refused = (await command([...TEST, "--yes"], { code: 1 })).json as WebhookAnswer;
    assert.deepEqual([refused.delivery?.status, refused.delivery?.firstLine], [503, "not now"]);
    note(`${delivery?.status} in ${delivery?.milliseconds} ms; then 503, exit code 1`);
  });
}

export async function signedWebhookIsDelivered({ stage, deployment, subscribers, command }: Operated): Promise<void> {
  const { report, aws, simulator, signed } = stage;
  /** The requests about one response, once it is taken. */
  const takenOf = async (responseId: number | undefined): Promise<WebhookRequest[]> => {
    const of = (all: readonly WebhookRequest[]) => all.filter(({ event }) => idOf(event) === responseId);
    await until("the endpoint does not get it", () => Promise.resolve(of(signed.taken()).length > 0));
    return of(signed.came);
  };
  const completed = async (): Promise<number | undefined> => {
    const [responseId] = simulator.complete(1);
    await aws.invoke(output(deployment, "PollFunctionName"));
    return responseId;
  };

  await report.step("a signed webhook has had every event, each with a signature that holds", async (note) => {
    const { everything } = subscribers;
    const ids = () => new Set(signed.taken().map(({ headers }) => headers["webhook-id"]));
    await everything.drain();
    const wanted = everything.events.filter((event) => event["detail-type"] === DETAIL_TYPE);
    const isThere = () => wanted.every(({ detail }) => ids().has(detail.meta.eventId));
    await until("not all have come", () => Promise.resolve(isThere()));
    note(`${ids().size} events, ${signed.came.length} requests`);
  });
  await report.step("its endpoint answers 503: the event comes again under the same id, signed anew", async (note) => {
    signed.refuse(503, 1);
    const [first, second] = await takenOf(await completed());
    assert.deepEqual([first?.status, second?.status], [503, 204]);
    assert.equal(first?.headers["webhook-id"], second?.headers["webhook-id"]);
    assert.notEqual(first?.headers["webhook-signature"], second?.headers["webhook-signature"]);
    const waited = Number(second?.headers["webhook-timestamp"]) - Number(first?.headers["webhook-timestamp"]);
    assert.ok(waited >= 3, `${waited} s`);
    note(`after ${waited} s`);
  });
  await report.step(
    "the secret is rotated: an endpoint that knows the new one refuses the old one once",
    async (note) => {
      const { secret: SecretId } = signed.config.signing;
      const SecretString = JSON.stringify({ secrets: [SIGNING.second, SIGNING.first] });
      await aws.secrets.send(new PutSecretValueCommand({ SecretId, SecretString }));
      signed.knows(SIGNING.second);
      const all = await takenOf(await completed());
      assert.equal(all[0]?.status, 401);
      const last = all.at(-1);
      assert.ok(last);
      assert.equal(last.headers["webhook-signature"]?.split(" ").length, 2);
      for (const secret of Object.values(SIGNING))
        assert.doesNotThrow(() => new Webhook(secret).verify(last.body, last.headers));
      note(`${all.map(({ status }) => status).join(", ")}; two signatures`);
    },
  );
  await report.step("the answers of a large event can be had by its address, without credentials", async (note) => {
    await command(["trigger", "large", "--new-ids", "--yes"]);
    const large = () =>
      signed.taken().find(({ event }) => (event.detail.data as { answersRef?: object | null }).answersRef);
    await until("it does not come", () => Promise.resolve(large() !== undefined));
    const { answersRef, response } = largeData(large());
    const answer = await fetch(answersRef.url);
    assert.equal(answer.status, 200);
    const text = await answer.text();
    assert.equal(Buffer.byteLength(text), answersRef.bytes);
    assert.equal((JSON.parse(text) as unknown[]).length, response.answerCount);
    note(`${answersRef.bytes} bytes`);
  });
  await report.step("its endpoint answers 410: the event lies in the dead-letter queue, with the reason", async () => {
    signed.refuse(410, 1);
    const responseId = await completed();
    const queue = output(deployment, "ForwardDeadLetterQueueArnsigned").split(":").at(-1) ?? "";
    const QueueUrl = output(deployment, "DeadLetterQueueUrl").replace(/[^/]+$/, queue);
    let found: { Body?: string; MessageAttributes?: Record<string, { StringValue?: string }> } | undefined;
    await until("it is not in the queue", async () => {
      const asked = new ReceiveMessageCommand({ QueueUrl, MessageAttributeNames: ["All"], VisibilityTimeout: 0 });
      found = (await aws.sqs.send(asked)).Messages?.[0];
      return found !== undefined;
    });
    assert.equal(idOf(JSON.parse(found?.Body ?? "")), responseId);
    assert.equal(found?.MessageAttributes?.ERROR_CODE?.StringValue, "ENDPOINT_REFUSED");
    assert.match(found?.MessageAttributes?.ERROR_MESSAGE?.StringValue ?? "", /410/);
    await aws.sqs.send(new PurgeQueueCommand({ QueueUrl }));
  });
}

interface LargeData {
  answersRef: { url: string; bytes: number };
  response: { answerCount: number };
}

function largeData(request: WebhookRequest | undefined): LargeData {
  assert.ok(request);
  return request.event.detail.data as unknown as LargeData;
}

function idOf({ detail }: WebhookRequest["event"]): number | undefined {
  return (detail.data as { responseId?: number }).responseId;
}
