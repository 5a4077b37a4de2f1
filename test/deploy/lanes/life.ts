import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DescribeArchiveCommand, ListRulesCommand } from "@aws-sdk/client-eventbridge";
import { DescribeSecretCommand, GetSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import type { BooksClosed } from "../../../lib/events/index.ts";
import { ROOT } from "../support/cdk.ts";
import { blocksBelow } from "../support/document.ts";
import { shell, succeed } from "../support/processes.ts";
import {
  type Deployed,
  deploy,
  fillCredentials,
  type Given,
  onStage,
  output,
  writeConfiguration,
} from "../support/stage.ts";
import { allIsRight, tick, untilNewsAlone } from "../support/ticks.ts";
import { until } from "../support/until.ts";
import { SIGNED, WEBHOOK, WEBHOOK_SECRET } from "../support/webhook.ts";

const CHANGED_APP = join(import.meta.dirname, "..", "fixtures", "changed-app.ts");
const url = "https://crm.example.com/surveys";

/** Everything that makes something in the template. */
const EVERYTHING = {
  sources: [{ baseUrl: "https://surveys.example.com" }, { name: "b", baseUrl: "https://surveys.example.com" }],
  subscribers: { accounts: ["123456789012"], organizationId: "o-a1b2c3d4e5" },
  monitoring: "full",
  webhooks: [WEBHOOK, SIGNED].map((webhook) => ({ ...webhook, url })),
};

/** One deployment from its first command to its last. */
export function life(given: Given): Promise<void> {
  return onStage(given, "life", async (stage) => {
    stage.report.part("First deployment");
    const deployed = await deploy(stage);
    await templateIsSound(deployed);
    await credentialsAreMissing(deployed);
    stage.report.part("Events");
    await eventsGoOut(deployed);
    stage.report.part("Update in place");
    await updated(deployed);
    stage.report.part('As docs/operations.md says: "Destroy"');
    await destroyed(deployed);
    stage.report.part('As docs/operations.md says: "Deploy again over what was kept"');
    await deployedAgain(deployed);
  });
}

/** What is deployed is what would be deployed, and CloudFormation has nothing against it. */
async function templateIsSound({ report, cdk, emulator, folder, configFile }: Deployed): Promise<void> {
  await report.step("cdk diff finds no difference", async () => {
    const { differs, text } = await cdk.diff("-c", `config=${configFile}`);
    assert.equal(differs, false, text);
  });
  await report.step("cfn-lint finds nothing where everything is asked for", async () => {
    const file = join(folder, "everything.json");
    writeFileSync(file, JSON.stringify(EVERYTHING));
    await cdk.run("synth", "--quiet", "-c", `config=${file}`);
    // The CDK writes down dependencies that references make already.
    const args = ["--ignore-checks", "W3005", "--", join(folder, "cdk.out", "SurveyPoller.template.json")];
    await succeed("cfn-lint", args, { cwd: folder, env: emulator.env, limit: 60_000 });
  });
}

async function credentialsAreMissing(on: Deployed): Promise<void> {
  await on.report.step("without credentials the ticks say so, once in the log, and ask for nothing", async () => {
    for (const _ of ["the first", "another"]) assert.match(await tick(on), /"failed":false.*CREDENTIALS_MISSING/);
    const lines = await on.aws.logs(output(on, "PollLogGroupName"));
    assert.equal(lines.filter((line) => line.includes("CREDENTIALS_MISSING")).length, 1, lines.join("\n"));
    assert.equal(on.simulator.counters().requests ?? 0, 0);
  });
}

/** The ways in which an event may come to be: history, backlog. */
async function eventsGoOut(on: Deployed): Promise<void> {
  const { report, simulator, emulator, webhook, aws, everything } = on;
  await report.step("npx survey-poller credentials fills them in, from standard input", async () => {
    const { clientId, clientSecret } = simulator;
    const args = ["survey-poller", "credentials", "--base-url", simulator.url, "--yes"];
    const input = JSON.stringify({ clientId, clientSecret });
    await succeed("npx", args, { cwd: ROOT, env: emulator.env, limit: 60_000, input });
  });
  await report.step("the history goes out", async (note) => note(await allIsRight(on)));
  await report.step("the webhook has had the detractors, with the token from its secret", async () => {
    const { pathname, search } = new URL(webhook.config.url);
    const type = "application/json; charset=utf-8";
    const wanted = ["POST", `${pathname}${search}`, `Bearer ${WEBHOOK_SECRET.token}`, type];
    for (const { method, path, headers } of webhook.taken()) {
      assert.deepEqual([method, path, headers.authorization, headers["content-type"]], wanted);
    }
  });
  await report.step("a backlog of more than one part goes out, and its end closes the books", async (note) => {
    const parts = async (): Promise<number> =>
      (await aws.logs(output(on, "PollLogGroupName"))).filter((line) => line.includes('"message":"backlog"')).length;
    const before = await parts();
    // More than a turn of a minute does, at a service that takes its time.
    simulator.addSurvey({ surveyId: 4, responses: 900 });
    simulator.fault({ kind: "latency", ms: 1_000, operation: ["metrics", "metadata"], surveyId: 4 });
    note(await allIsRight(on));
    const closed = (): BooksClosed["data"][] =>
      everything.events.flatMap((event) => {
        const { data } = event.detail as unknown as BooksClosed;
        return event["detail-type"] === "books.closed" && data.surveyId === 4 ? [data] : [];
      });
    await until("its books are not closed", async () => {
      await everything.drain();
      return closed().length > 0;
    });
    assert.deepEqual(
      closed().map(({ counts }) => counts.emitted),
      [900],
    );
    // The emulator has the log of an invocation once that is over.
    await until("it was one part", async () => (await parts()) - before > 1);
  });
  await report.step("the archive holds all that has gone out", async (note) => {
    const ArchiveName = output(on, "ArchiveArn").split("/").at(-1);
    const { EventSourceArn, State, EventCount } = await aws.events.send(new DescribeArchiveCommand({ ArchiveName }));
    await everything.drain();
    assert.deepEqual([EventSourceArn, State, EventCount], [output(on, "BusArn"), "ENABLED", everything.events.length]);
    note(`${EventCount} events`);
  });
}

/** Another description and tag on what is there, and a changed value of the configuration. */
async function updated(on: Deployed): Promise<void> {
  const { report, cdk, aws, simulator } = on;
  const config = `config=${writeConfiguration(on, { advanced: { enrichmentPatience: "20m" } }, {})}`;
  const change = ["--app", `node "${CHANGED_APP}"`, "-c", config];
  await report.step("cdk diff sees a changed value, description and tag", async () => {
    const { text } = await cdk.diff(...change);
    assert.equal(text.split("\n").filter((line) => /AWS::SecretsManager::Secret/.test(line)).length, 2, text);
    // A change set leaves out the metadata of resources, which show the configuration.
    const { text: byTemplate } = await cdk.diff(...change, "--method=template");
    assert.match(byTemplate, /\[\+\].*"enrichmentPatience": "20m"/);
  });
  const values = async (): Promise<unknown[]> => {
    const names = ["CredentialsSecretName", "TokenSecretName"].map((name) => output(on, name));
    const read = names.map((SecretId) => aws.secrets.send(new GetSecretValueCommand({ SecretId })));
    return (await Promise.all(read)).map(({ SecretString, VersionId }) => ({ SecretString, VersionId }));
  };
  await report.step("cdk deploy of it leaves table, bus and secrets as they are", async () => {
    const before = await values();
    assert.deepEqual(await cdk.deploy(...change), on.outputs);
    assert.deepEqual(await values(), before);
  });
  await report.step("nothing is emitted again, and what is new goes out", async (note) => {
    simulator.complete(3, 2);
    note(await allIsRight(on));
  });
}

/** By the command of docs/operations.md: what holds the books stays, and what others have made their rules on. */
async function destroyed(on: Deployed): Promise<void> {
  const { report, cdk, aws } = on;
  const keys = async () => (await aws.items(output(on, "TableName"))).map(({ pk, sk }) => `${pk} ${sk}`).sort();
  const before = await keys();
  const [[destroy = ""] = []] = commandsBelow("Destroy");
  await report.step(destroy, () => cdk.run(...argumentsOf(destroy, on.configFile)));
  await report.step("table, archive, and the bus with the rules of others are still there", async () => {
    assert.deepEqual(await keys(), before);
    const rules = await aws.events.send(new ListRulesCommand({ EventBusName: output(on, "BusName") }));
    assert.deepEqual(rules.Rules?.map(({ Name }) => Name).sort(), ["detractors", "everything"]);
    const ArchiveName = output(on, "ArchiveArn").split("/").at(-1);
    const archive = await aws.events.send(new DescribeArchiveCommand({ ArchiveName }));
    assert.equal(archive.EventCount, on.everything.events.length);
  });
  await report.step("the function and the secrets are gone", async () => {
    await assert.rejects(aws.invoke(output(on, "PollFunctionName")), /not found/i);
    const SecretId = output(on, "CredentialsSecretName");
    await assert.rejects(aws.secrets.send(new DescribeSecretCommand({ SecretId })), /ResourceNotFound|can't find/);
  });
}

/** A new deployment goes on where the old one ended, by the recipe of docs/operations.md. */
async function deployedAgain(old: Deployed): Promise<void> {
  const { report, cdk, simulator, emulator, folder } = old;
  const keptFile = join(folder, "kept.json");
  const [find = [], mapping = [], commands = []] = commandsBelow("Deploy again over what was kept");
  await report.step("what was left is found, and written down", async (note) => {
    const { stdout } = await shell(find.join("\n"), { cwd: folder, env: emulator.env, limit: 60_000 });
    const lists = stdout.split(/(?<=\])\s*(?=\[)/).map((list) => JSON.parse(list) as string[]);
    const archive = output(old, "ArchiveArn").split("/").at(-1);
    assert.deepEqual(lists, [[output(old, "TableName")], [output(old, "ClaimCheckBucketName")], [archive]]);
    // In the order in which they stand there.
    const names = lists.flat();
    writeFileSync(
      keptFile,
      mapping.join("\n").replaceAll("…", () => names.shift() ?? ""),
    );
    note(readFileSync(keptFile, "utf8"));
  });
  const [importing = "", deploying = ""] = commands;
  await report.step(importing, () => cdk.run(...argumentsOf(importing, old.configFile, keptFile)));
  const outputs = await report.step(deploying, async () => {
    const [verb, ...args] = argumentsOf(deploying, old.configFile);
    assert.equal(verb, "deploy");
    const found = await cdk.deploy(...args);
    for (const name of ["TableName", "ClaimCheckBucketName", "BusArn", "ArchiveArn"])
      assert.equal(found[name], output(old, name));
    return found;
  });
  const again: Deployed = { ...old, outputs };
  await report.step("nothing is emitted again, and what is new goes out once, by the rule that was there", async () => {
    await fillCredentials(again);
    await untilNewsAlone(again, () => simulator.complete(2));
  });
}

/** The lines of each block below a heading of docs/operations.md. */
function commandsBelow(heading: string): string[][] {
  return blocksBelow("docs/operations.md", heading).map((code) => code.split("\n"));
}

/** Those of a command that begins with `npx cdk`, with the files of this run in place of the reader's. */
function argumentsOf(command: string, configFile: string, keptFile = ""): string[] {
  assert.match(command, /^npx cdk /);
  const files: Record<string, string> = { "config=my-survey.json": `config=${configFile}`, "kept.json": keptFile };
  const args = command.split(" ").slice(2);
  return args.map((arg) => files[arg] ?? arg);
}
