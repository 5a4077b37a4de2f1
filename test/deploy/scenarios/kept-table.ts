import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PutSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { ROOT } from "../support/cdk.ts";
import { shell } from "../support/processes.ts";
import { readSteps } from "../support/read-steps.ts";
import { type Deployment, output, type Stage, type Subscribers } from "./stage.ts";

const HEADING = "### Deploy again over what was kept";

/** After the destruction: a new deployment goes on where the old one ended, by the recipe of docs/operations.md. */
export async function keptTable(stage: Stage, old: Deployment, { everything }: Subscribers): Promise<Deployment> {
  const { report, aws, cdk, simulator, emulator, folder } = stage;
  const steps = readSteps(readFileSync(join(ROOT, "docs", "operations.md"), "utf8"), HEADING);
  const [find = "", mapping = "", commands = ""] = steps.flat().map(({ code }) => code);
  const keptFile = join(folder, "kept.json");
  const files: Record<string, string> = { "config=my-survey.json": `config=${old.configFile}`, "kept.json": keptFile };

  report.part(`As docs/operations.md says: "${HEADING.slice(4)}"`);
  await report.step("what was left is found, and written down", async (note) => {
    const { stdout } = await shell(find, { cwd: folder, env: emulator.env, limit: 60_000 });
    const lists = stdout.split(/(?<=\])\s*(?=\[)/).map((list) => JSON.parse(list) as string[]);
    const archive = output(old, "ArchiveArn").split("/").at(-1);
    assert.deepEqual(lists, [[output(old, "TableName")], [output(old, "ClaimCheckBucketName")], [archive]]);
    // In the order in which they stand there.
    const names = lists.flat();
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
  const deployment = await report.step("the new stack has the old table, bucket, bus and archive", async () => {
    const outputs = await cdk.outputs();
    for (const name of ["TableName", "ClaimCheckBucketName", "BusArn", "ArchiveArn"])
      assert.equal(outputs[name], output(old, name));
    return { ...old, outputs };
  });
  await report.step(
    "nothing is emitted again, and what is new goes out once, by the rule that was there before",
    async (note) => {
      const { clientId, clientSecret } = simulator;
      await aws.secrets.send(
        new PutSecretValueCommand({
          SecretId: output(deployment, "CredentialsSecretName"),
          SecretString: JSON.stringify({ clientId, clientSecret }),
        }),
      );
      await everything.drain();
      const before = everything.events.length;
      const after = () => everything.events.slice(before);
      const { failed, payload } = await aws.invoke(output(deployment, "PollFunctionName"));
      assert.equal(failed, false, JSON.stringify(payload));
      assert.match(JSON.stringify(payload), /"outcome":"polled"|"surveys":\[\]/);
      await everything.drain();
      assert.equal(after().length, 0);
      const [responseId] = simulator.complete(2);
      for (const end = Date.now() + 20_000; after().length === 0; await everything.drain()) {
        assert.ok(Date.now() < end, "the new response has no event");
        await aws.invoke(output(deployment, "PollFunctionName"));
      }
      assert.deepEqual(
        after().map(({ detail }) => detail.data.responseId),
        [responseId],
      );
      note(`${simulator.truth().length - 1} of before, 1 new`);
    },
  );
  return deployment;
}
