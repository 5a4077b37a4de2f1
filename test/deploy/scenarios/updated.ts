import assert from "node:assert/strict";
import { join } from "node:path";
import { GetSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { writeConfiguration } from "./first-deployment.ts";
import { allArrived, booksAreRight, eventsAreRight } from "./settled.ts";
import { type Deployment, output, type Stage, type Subscribers } from "./stage.ts";

const CHANGED_APP = join(import.meta.dirname, "..", "fixtures", "changed-app.ts");

/** A changed configuration, description and tag, as arguments of `cdk`. */
export type Change = readonly string[];

/** The change, and that `cdk diff` sees it. */
export async function changeIsSeen(stage: Stage): Promise<Change> {
  const { report, cdk } = stage;
  return await report.step("cdk diff sees a changed value, description and tag", async (note) => {
    const config = `config=${writeConfiguration(stage, { advanced: { enrichmentPatience: "20m" } })}`;
    const change = ["--app", `node "${CHANGED_APP}"`, "-c", config];
    const { text } = await cdk.diff(...change);
    const secrets = text.split("\n").filter((line) => /AWS::SecretsManager::Secret/.test(line));
    assert.equal(secrets.length, 2, text);
    // A change set leaves out the metadata of resources, which show the configuration.
    const { text: byTemplate } = await cdk.diff(...change, "--method=template");
    assert.match(byTemplate, /\[\+\].*"enrichmentPatience": "20m"/);
    const changes = text.split("\n").filter((line) => line.startsWith("[~]"));
    note(`${changes.length} resources change, both secrets among them`);
    return change;
  });
}

/** The change deployed over what is there. */
export async function updated(
  stage: Stage,
  deployment: Deployment,
  subscribers: Subscribers,
  change: Change,
): Promise<void> {
  const { report, cdk, aws, simulator } = stage;
  const values = async (): Promise<unknown[]> => {
    const names = ["CredentialsSecretName", "TokenSecretName"].map((name) => output(deployment, name));
    const read = names.map((SecretId) => aws.secrets.send(new GetSecretValueCommand({ SecretId })));
    return (await Promise.all(read)).map(({ SecretString, VersionId }) => ({ SecretString, VersionId }));
  };

  report.part("Update in place");
  const before = await values();
  const emitted = subscribers.everything.events.length;
  const outputs = await report.step("cdk deploy of the change", () => cdk.deploy(...change));
  await report.step(
    "the same table, bus and secrets are there, and both secrets have the values they had",
    async () => {
      assert.deepEqual(outputs, deployment.outputs);
      assert.deepEqual(await values(), before);
    },
  );
  await report.step("nothing is emitted again, and what is new goes out", async (note) => {
    const { failed, payload } = await aws.invoke(output(deployment, "PollFunctionName"));
    assert.equal(failed, false, JSON.stringify(payload));
    await subscribers.everything.drain();
    assert.equal(subscribers.everything.events.length, emitted);
    simulator.complete(3, 2);
    await allArrived(stage, deployment, subscribers, { within: 60_000 });
    assert.equal(subscribers.everything.events.length, emitted + 2);
    note(await eventsAreRight(stage, subscribers, 400));
    await booksAreRight(stage, output(deployment, "TableName"), subscribers);
  });
}
