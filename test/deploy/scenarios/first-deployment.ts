import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { CreateSecretCommand } from "@aws-sdk/client-secrets-manager";
import { watchAlarms } from "../support/alarm-watch.ts";
import { succeed } from "../support/processes.ts";
import { SIGNED, WEBHOOK, WEBHOOK_SECRET } from "../support/webhook.ts";
import { CREDENTIALS } from "./alarms-are-raised.ts";
import { type Deployment, output, type Stage } from "./stage.ts";

/**
 * What is deployed: the defaults, but for the history, which is to go out too, the zone of its dates, the shortest lag that is an alarm,
 * and a webhook.
 */
export function writeConfiguration(stage: Stage, changes: object = {}, others: object = {}): string {
  const { folder, simulator, webhook } = stage;
  const file = join(folder, "my survey.json");
  const source = { baseUrl: simulator.url, startFrom: "beginning", timeZone: "UTC", ...changes };
  const monitoring = { lagThreshold: "1m" };
  writeFileSync(file, JSON.stringify({ sources: [source], monitoring, webhooks: [webhook.config], ...others }));
  return file;
}

/**
 * From nothing to a stack that says what it lacks.
 *
 * @param webhooks beside the usual one
 */
export async function firstDeployment(stage: Stage, webhooks: readonly object[] = []): Promise<Deployment> {
  const { report, cdk, aws, emulator, simulator, webhook } = stage;
  const configFile = writeConfiguration(stage, {}, { webhooks: [webhook.config, ...webhooks] });
  const config = ["-c", `config=${configFile}`];

  report.part("First deployment");
  await report.step("cdk bootstrap", () => cdk.run("bootstrap", ...config));
  await report.step("the secret that the webhook's endpoint asks for", () => {
    const { secret } = webhook.config.auth;
    return aws.secrets.send(new CreateSecretCommand({ Name: secret, SecretString: JSON.stringify(WEBHOOK_SECRET) }));
  });
  const outputs = await report.step("cdk deploy", async (note) => {
    const found = await cdk.deploy(...config);
    note(`outputs: ${Object.keys(found).join(", ")}`);
    return found;
  });
  const deployment = { configFile, outputs };
  await report.step(
    "without credentials the ticks say so, once in the log, and ask the service for nothing",
    async () => {
      for (const _ of ["the first", "another"]) {
        const { failed, payload } = await aws.invoke(output(deployment, "PollFunctionName"));
        assert.equal(failed, false, JSON.stringify(payload));
        assert.match(JSON.stringify(payload), /"blocked":.*CREDENTIALS_MISSING/);
      }
      const lines = await aws.logs(output(deployment, "PollLogGroupName"));
      const told = lines.filter((line) => line.includes("CREDENTIALS_MISSING"));
      assert.equal(told.length, 1, lines.join("\n"));
      assert.equal(simulator.counters().requests ?? 0, 0);
    },
  );
  await report.step("which raises the alarm on credentials, and no other", async () => {
    assert.deepEqual(await (await watchAlarms(aws, emulator)).raised(), [CREDENTIALS]);
  });
  return deployment;
}

const url = "https://crm.example.com/surveys";

/** Everything that makes something in the template. */
const EVERYTHING = {
  sources: [{ baseUrl: "https://surveys.example.com" }, { name: "b", baseUrl: "https://surveys.example.com" }],
  subscribers: { accounts: ["123456789012"], organizationId: "o-a1b2c3d4e5" },
  monitoring: "full",
  webhooks: [WEBHOOK, SIGNED].map((webhook) => ({ ...webhook, url })),
};

/** What is deployed is what would be deployed, and CloudFormation has nothing against it. */
export async function templateIsSound(stage: Stage, { configFile }: Deployment): Promise<void> {
  const { report, cdk, emulator, folder } = stage;
  const lint = (file: string) =>
    // The CDK writes down dependencies that references make already.
    succeed("cfn-lint", ["--ignore-checks", "W3005", "--", file], { cwd: folder, env: emulator.env, limit: 60_000 });
  await report.step("cdk diff finds no difference", async () => {
    const { differs, text } = await cdk.diff("-c", `config=${configFile}`);
    assert.equal(differs, false, text);
  });
  await report.step("cfn-lint finds nothing, nor where everything is asked for", async () => {
    const template = join(folder, "cdk.out", "SurveyPoller.template.json");
    await lint(template);
    const file = join(folder, "everything.json");
    writeFileSync(file, JSON.stringify(EVERYTHING));
    await cdk.run("synth", "--quiet", "-c", `config=${file}`);
    await lint(template);
  });
}
