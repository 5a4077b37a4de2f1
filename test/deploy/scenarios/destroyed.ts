import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DeleteEventBusCommand, DescribeArchiveCommand, ListRulesCommand } from "@aws-sdk/client-eventbridge";
import { DescribeSecretCommand } from "@aws-sdk/client-secrets-manager";
import { ROOT } from "../support/cdk.ts";
import { readBlocks } from "../support/read-steps.ts";
import { type Deployment, output, type Stage } from "./stage.ts";

const HEADING = "## Destroy";

/** The end of it, by the commands of docs/operations.md: what holds the books stays, and what others have made their rules on. */
export async function destroyed({ report, cdk, aws }: Stage, deployment: Deployment): Promise<void> {
  const table = output(deployment, "TableName");
  const [commands = ""] = readBlocks(readFileSync(join(ROOT, "docs", "operations.md"), "utf8"), HEADING).map(
    ({ code }) => code,
  );
  report.part(`As docs/operations.md says: "${HEADING.slice(3)}"`);
  const before = await aws.items(table);
  const args = commands
    .trim()
    .split(" ")
    .slice(2)
    .map((arg) => (arg === "config=my-survey.json" ? `config=${deployment.configFile}` : arg));
  await report.step("it is destroyed, whatever rules others have on the bus", () => cdk.run(...args));
  await report.step("the table is still there, with all its items", async (note) => {
    const after = await aws.items(table);
    assert.deepEqual(after.map(keyOf).sort(), before.map(keyOf).sort());
    note(`${after.length} items in ${table}`);
  });
  await report.step(
    "so are the archive, and the bus with the rules of others, which AWS would not delete",
    async (note) => {
      const bus = output(deployment, "BusName");
      const { Rules = [] } = await aws.events.send(new ListRulesCommand({ EventBusName: bus }));
      assert.deepEqual(Rules.map(({ Name }) => Name).sort(), ["detractors", "everything", "labelled", "told"]);
      const ArchiveName = output(deployment, "ArchiveArn").split("/").at(-1);
      const { EventCount } = await aws.events.send(new DescribeArchiveCommand({ ArchiveName }));
      await assert.rejects(aws.events.send(new DeleteEventBusCommand({ Name: bus })), /it has rules/);
      note(`${Rules.length} rules, ${EventCount} events archived`);
    },
  );
  await report.step("the function and the secrets are gone", async () => {
    await assert.rejects(aws.invoke(output(deployment, "PollFunctionName")), /ResourceNotFound/);
    const SecretId = output(deployment, "CredentialsSecretName");
    await assert.rejects(aws.secrets.send(new DescribeSecretCommand({ SecretId })), /ResourceNotFound|can't find/);
  });
}

const keyOf = ({ pk, sk }: Record<string, unknown>): string => `${pk} ${sk}`;
