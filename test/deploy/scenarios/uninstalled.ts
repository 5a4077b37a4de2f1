import assert from "node:assert/strict";
import { join } from "node:path";
import { DescribeArchiveCommand, DescribeEventBusCommand, ListRulesCommand } from "@aws-sdk/client-eventbridge";
import { ROOT } from "../support/cdk.ts";
import { type RunResult, run } from "../support/processes.ts";
import { type Deployment, output, type Stage } from "./stage.ts";

const TERMINAL = join(import.meta.dirname, "..", "support", "terminal.py");

/** All of it is removed on purpose, and nothing by mistake. */
export async function uninstalled(stage: Stage, deployment: Deployment): Promise<void> {
  const { report, aws, emulator } = stage;
  const bus = output(deployment, "BusName");
  const table = output(deployment, "TableName");
  const archive = output(deployment, "ArchiveArn").split("/").at(-1) ?? "";
  const uninstall = (...args: string[]): Promise<RunResult> =>
    run("npx", ["survey-poller", "uninstall", ...args], { cwd: ROOT, env: emulator.env, limit: 120_000 });
  /** The command at a terminal, with this typed when it asks. */
  const typed = (name: string): Promise<RunResult> => {
    const command = [TERMINAL, "npx", "survey-poller", "uninstall", "--with-rules"];
    const input = JSON.stringify([["name of the stack: ", name]]);
    return run("python3", command, { cwd: ROOT, env: emulator.env, limit: 120_000, input });
  };
  const kept = [
    "stack SurveyPoller",
    `bus ${bus}`,
    `archive ${archive}`,
    `table ${table}`,
    `bucket ${output(deployment, "ClaimCheckBucketName")}`,
    `secret ${output(deployment, "CredentialsSecretName")}`,
  ];

  report.part("Uninstallation");
  await report.step("names everything, and removes nothing while others have rules on the bus", async (note) => {
    const { code, stdout, stderr } = await uninstall("--yes", "SurveyPoller");
    assert.equal(code, 1, stderr);
    for (const one of [...kept, "rule everything on bus", "log group"]) assert.ok(stdout.includes(one), stdout);
    assert.match(stderr, /^nothing was removed: others subscribe to the bus .*rule everything.* --with-rules\.\n$/);
    note(stderr.trim());
  });
  await report.step("removes nothing for another name, and names it all where nobody can be asked", async () => {
    const other = await uninstall("--with-rules", "--yes", "AnotherStack");
    assert.deepEqual([other.code, /another name/.test(other.stderr)], [2, true], other.stderr);
    const nobody = await uninstall("--with-rules");
    assert.deepEqual([nobody.code, /^Dry run: nothing was removed/.test(nobody.stderr)], [0, true], nobody.stderr);
    const mistyped = await typed("surveypoller");
    assert.deepEqual([mistyped.code, /that is not its name/.test(mistyped.stdout)], [1, true], mistyped.stdout);
    const { Rules = [] } = await aws.events.send(new ListRulesCommand({ EventBusName: bus }));
    assert.ok(Rules.length >= 2);
    assert.ok((await aws.items(table)).length > 0);
  });
  await report.step(
    "when its name is typed, it removes all of it: stack, rules, archive, bus, bucket, table",
    async (note) => {
      const { code, stdout, stderr } = await typed("SurveyPoller");
      assert.equal(code, 0, `${stdout}\n${stderr}`);
      for (const one of kept) assert.ok(stdout.includes(`removed: ${one}`), stdout);
      await assert.rejects(aws.invoke(output(deployment, "PollFunctionName")), /ResourceNotFound/);
      await assert.rejects(aws.items(table), /ResourceNotFound|not found/);
      await assert.rejects(aws.events.send(new DescribeEventBusCommand({ Name: bus })), /not found|not exist/);
      await assert.rejects(aws.events.send(new DescribeArchiveCommand({ ArchiveName: archive })), /not exist/);
      note(`${stdout.match(/^removed: /gm)?.length} things removed`);
    },
  );
  await report.step("a second time there is nothing left to remove", async (note) => {
    const { code, stdout } = await uninstall("--yes", "SurveyPoller");
    assert.equal(code, 0);
    note(stdout.trim());
  });
}
