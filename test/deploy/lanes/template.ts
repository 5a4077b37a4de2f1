import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ListRulesCommand } from "@aws-sdk/client-eventbridge";
import { bundleFunction } from "../../../infra/bundle.ts";
import { writeTemplate } from "../../../infra/package/template.ts";
import { isText } from "../../../lib/events/build/fields.ts";
import { isObject } from "../../../lib/json.ts";
import { compareWithTruth } from "../../wire/support/compare-with-truth.ts";
import type { Outputs } from "../support/cdk.ts";
import { survey } from "../support/command.ts";
import { blocksBelow } from "../support/document.ts";
import { type RunOptions, run, shell, succeed } from "../support/processes.ts";
import { type Deployed, type Given, onStage, output, type Stage } from "../support/stage.ts";
import { subscribe } from "../support/subscription.ts";
import { completed, untilArrived, untilNewsAlone } from "../support/ticks.ts";

const PAGE = "docs/getting-started.md";
const BUCKET = "my-deployments";
/** Of the service, in the documents. */
const ADDRESS = "BaseUrl=https://surveys.example.com";

/** The poller without the CDK: its template, by the commands of docs/getting-started.md. */
export function template(given: Given): Promise<void> {
  return onStage(given, "template", async (stage) => {
    const folder = join(stage.folder, "cloudformation");
    mkdirSync(folder);
    const options = { cwd: folder, env: stage.emulator.env, limit: 120_000 };
    const [commands = "", fill = ""] = blocksBelow(PAGE, "By the AWS command line");
    const [packaging = "", deploying = ""] = commands.split("\n");
    const address = `BaseUrl=${stage.simulator.url} TimeZone=UTC StartFrom=beginning`;
    const deploy = deploying.replace(ADDRESS, address);
    assert.notEqual(deploy, deploying);

    stage.report.part(`As ${PAGE} says: "Without the CDK"`);
    await stage.report.step("the folder is built, and packaged", async () => {
      const code = join(stage.folder, "poll");
      bundleFunction("poll", code);
      writeTemplate(folder, code);
      await shell(`aws s3 mb s3://${BUCKET}`, options);
      await shell(packaging, options);
    });
    await templateRefuses(stage, deploy, options);
    const outputs = await stage.report.step("the template is deployed", () => deployed(deploy, options));
    const everything = await subscribe(stage.aws, outputs.BusName ?? "", "everything", { source: ["survey-poller"] });
    const on: Deployed = { ...stage, configFile: "", outputs, everything, detractors: everything };
    await eventsGoOut(on, fill, options);
    await updated(on, deploy, options);
    await deployedAgain(on, deploy, fill, options);
  });
}

/** Deploys by a command, and gives the outputs of the stack. */
async function deployed(command: string, options: RunOptions): Promise<Outputs> {
  await shell(command, options);
  const { stdout } = await shell("aws cloudformation describe-stacks --stack-name SurveyPoller", options);
  const { Stacks } = JSON.parse(stdout) as { Stacks: [{ Outputs: { OutputKey: string; OutputValue: string }[] }] };
  return Object.fromEntries(Stacks[0].Outputs.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]));
}

async function templateRefuses({ report }: Stage, deploy: string, options: RunOptions): Promise<void> {
  await report.step("cfn-lint finds nothing in it", async () => {
    // The CDK writes down dependencies that references make already. The name of the zip is for `package`.
    const args = ["--ignore-checks", "W3005", "W3002", "--", join(options.cwd, "survey-poller.template.json")];
    await succeed("cfn-lint", args, options);
  });
  await report.step("a value that cannot be used is refused, and nothing is made", async () => {
    const bad = deploy.replace(/BaseUrl=\S+/, "BaseUrl=http://surveys.example.com");
    const { code, stderr } = await run("bash", ["--norc", "-c", bad], options);
    assert.notEqual(code, 0);
    assert.match(stderr, /BaseUrl.*must be such as https:/s);
    const look = ["cloudformation", "describe-stacks", "--stack-name", "SurveyPoller"];
    assert.match((await run("aws", look, options)).stderr, /does not exist/);
  });
}

/** As an operator without Node fills the secret. */
async function fillSecret({ simulator }: Deployed, fill: string, options: RunOptions): Promise<void> {
  const { clientId, clientSecret } = simulator;
  writeFileSync(join(options.cwd, "credentials.json"), JSON.stringify({ clientId, clientSecret }));
  await shell(fill, options);
}

async function eventsGoOut(on: Deployed, fill: string, options: RunOptions): Promise<void> {
  await on.report.step("the secret is filled, and the history goes out", async (note) => {
    await fillSecret(on, fill, options);
    await untilArrived(on);
    assert.deepEqual(compareWithTruth(completed(on), on.simulator.truth(), { instants: true }), []);
    note(`${completed(on).length} events`);
  });
  await on.report.step("survey-poller status knows the stack by its outputs", async () => {
    const { verdict, accounted } = await survey(on, "status");
    assert.deepEqual({ verdict, accounted }, { verdict: "complete", accounted: on.simulator.truth().length });
  });
}

async function updated(on: Deployed, deploy: string, options: RunOptions): Promise<void> {
  const [more = ""] = blocksBelow(PAGE, "Parameters of the template");
  const [put = "", deployMore = ""] = more.split("\n");
  await on.report.step("other parameters, and what they cannot say, are deployed", async () => {
    await shell(put, options);
    const outputs = await deployed(`${deployMore} PrivacyIp=drop Monitoring=full`, options);
    const { DashboardUrl, ...others } = outputs;
    assert.match(DashboardUrl ?? "", /dashboard\/SurveyPoller-Poller$/);
    assert.deepEqual(others, on.outputs);
  });
  await on.report.step("they hold for what is new, and nothing is emitted again", async () => {
    const events = await untilNewsAlone(on, () => on.simulator.complete(1, 2));
    const said = (of: typeof events) => ({
      ip: of.some(({ detail }) => isText(detail.data.metadata?.ip)),
      question: of.some(({ detail }) => detail.data.answers.some(({ question }) => isObject(question))),
    });
    assert.deepEqual(said(completed(on)), { ip: true, question: true });
    assert.deepEqual(said(events), { ip: false, question: false });
  });
  await on.report.step("the same once more is no change", async () => {
    const { stdout } = await shell(`${deploy} --no-fail-on-empty-changeset`, options);
    assert.match(stdout, /No changes to deploy/);
  });
}

async function deployedAgain(on: Deployed, deploy: string, fill: string, options: RunOptions): Promise<void> {
  const { report, aws, simulator } = on;
  const heading = "Delete it, and deploy it again";
  const [deleting = "", kept = "", importing = ""] = blocksBelow(PAGE, heading);
  await report.step("the stack is deleted; table and bus stay", async () => {
    await shell(deleting, options);
    await assert.rejects(aws.invoke(output(on, "PollFunctionName")), /not found/i);
    const rules = await aws.events.send(new ListRulesCommand({ EventBusName: output(on, "BusName") }));
    assert.deepEqual(
      rules.Rules?.map(({ Name }) => Name),
      ["everything"],
    );
    assert.ok((await aws.items(output(on, "TableName"))).length > 0);
  });
  await report.step("what was kept is taken into a new stack", async () => {
    // In the order in which they stand there.
    const archive = output(on, "ArchiveArn").split("/").at(-1) ?? "";
    const names = [output(on, "TableName"), output(on, "ClaimCheckBucketName"), archive];
    writeFileSync(
      join(options.cwd, "kept.json"),
      kept.replaceAll("…", () => names.shift() ?? ""),
    );
    await shell(importing, options);
  });
  const outputs = await report.step("it is deployed again", async () => {
    const found = await deployed(deploy, options);
    for (const name of ["TableName", "ClaimCheckBucketName", "BusArn", "ArchiveArn"])
      assert.equal(found[name], output(on, name));
    return found;
  });
  await report.step("nothing is emitted again, and what is new goes out once", async () => {
    const again: Deployed = { ...on, outputs };
    await fillSecret(again, fill, options);
    await untilNewsAlone(again, () => simulator.complete(2));
  });
}
