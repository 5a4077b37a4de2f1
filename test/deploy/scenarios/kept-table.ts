import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PutSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { ROOT } from "../support/cdk.ts";
import { shell } from "../support/processes.ts";
import { readSteps } from "../support/read-steps.ts";
import { subscribe } from "../support/subscription.ts";
import { type Deployment, output, type Stage } from "./stage.ts";

const HEADING = "### Deploy again over a kept table";

/** After the destruction: a new deployment goes on where the old one ended, by the README's recipe. */
export async function keptTable(stage: Stage, old: Deployment): Promise<void> {
  const { report, aws, cdk, simulator, emulator, folder } = stage;
  const steps = readSteps(readFileSync(join(ROOT, "README.md"), "utf8"), HEADING);
  const [find = "", mapping = "", commands = ""] = steps.flat().map(({ code }) => code);
  const keptFile = join(folder, "kept.json");
  const files: Record<string, string> = { "config=my-survey.json": `config=${old.configFile}`, "kept.json": keptFile };

  report.part(`As the README says: "${HEADING.slice(4)}"`);
  await report.step("what was left is found, and written down", async (note) => {
    const { stdout } = await shell(find, { cwd: folder, env: emulator.env, limit: 60_000 });
    const [tables, buckets] = stdout.split(/(?<=\])\s*(?=\[)/).map((list) => JSON.parse(list) as string[]);
    assert.deepEqual(tables, [output(old, "TableName")]);
    assert.equal(buckets?.length, 1, stdout);
    // In the order in which they stand there: the table, then the bucket.
    const names = [...(tables ?? []), ...(buckets ?? [])];
    const kept = mapping.replaceAll("…", () => names.shift() ?? "");
    writeFileSync(keptFile, kept);
    note(kept.trim());
  });
  const lines = commands.trim().split("\n");
  assert.deepEqual(
    lines.map((line) => line.split(" ").slice(0, 3).join(" ")),
    ["npx cdk import", "npx cdk deploy"],
  );
  for (const line of lines) {
    await report.step(line.replace("npx ", ""), async () => {
      const args = line.split(" ").slice(2);
      await cdk.run(...args.map((arg) => files[arg] ?? arg));
    });
  }
  const deployment = await report.step("the new stack has the old table", async () => {
    const outputs = await cdk.outputs();
    assert.equal(outputs.TableName, output(old, "TableName"));
    return { ...old, outputs };
  });
  await report.step("nothing is emitted again, and what is new goes out once", async (note) => {
    const { clientId, clientSecret } = simulator;
    await aws.secrets.send(
      new PutSecretValueCommand({
        SecretId: output(deployment, "CredentialsSecretName"),
        SecretString: JSON.stringify({ clientId, clientSecret }),
      }),
    );
    const bus = output(deployment, "BusName");
    const everything = await subscribe(aws, bus, "after", { "detail-type": ["response.completed"] });
    const { failed, payload } = await aws.invoke(output(deployment, "PollFunctionName"));
    assert.equal(failed, false, JSON.stringify(payload));
    assert.match(JSON.stringify(payload), /"outcome":"polled"|"surveys":\[\]/);
    await everything.drain();
    assert.equal(everything.events.length, 0);
    const [responseId] = simulator.complete(2);
    for (const end = Date.now() + 20_000; everything.events.length === 0; await everything.drain()) {
      assert.ok(Date.now() < end, "the new response has no event");
      await aws.invoke(output(deployment, "PollFunctionName"));
    }
    assert.deepEqual(
      everything.events.map(({ detail }) => detail.data.responseId),
      [responseId],
    );
    note(`${simulator.truth().length - 1} of before, 1 new`);
  });
}
