import assert from "node:assert/strict";
import { type Deployment, output, type Stage } from "./stage.ts";

/** The end of it: what holds the books stays. */
export async function destroyed({ report, cdk, aws }: Stage, deployment: Deployment): Promise<void> {
  const table = output(deployment, "TableName");
  report.part("Destruction");
  const before = await aws.items(table);
  await report.step("cdk destroy", () => cdk.run("destroy", "--force", "-c", `config=${deployment.configFile}`));
  await report.step("the table is still there, with all its items", async (note) => {
    const after = await aws.items(table);
    assert.deepEqual(after.map(keyOf).sort(), before.map(keyOf).sort());
    note(`${after.length} items in ${table}`);
  });
  await report.step("the functions are gone", async () => {
    await assert.rejects(aws.invoke(output(deployment, "PollFunctionName")), /ResourceNotFound/);
  });
}

const keyOf = ({ pk, sk }: Record<string, unknown>): string => `${pk} ${sk}`;
