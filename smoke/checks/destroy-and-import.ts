import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DescribeTableCommand } from "@aws-sdk/client-dynamodb";
import {
  CreateEventBusCommand,
  DeleteEventBusCommand,
  DescribeArchiveCommand,
  DescribeEventBusCommand,
  DescribeRuleCommand,
  PutRuleCommand,
} from "@aws-sdk/client-eventbridge";
import { unlessMissing } from "../aws/clients.ts";
import { type Resource, resourcesOf } from "../aws/stacks.ts";
import { removeBus, removeSecrets } from "../clean-up.ts";
import { left, outputOf, type SmokeCheck, type SmokeContext } from "../context.ts";
import { NAMES, OUTPUTS } from "../names.ts";
import { runCdk } from "../run/cdk.ts";
import { mustBe, NotShownError } from "../run/check.ts";
import { takeOutputs } from "./deploy.ts";
import { duplicates, responsesOf } from "./events.ts";
import { fillCredentials } from "./poller.ts";

/** What a stack keeps when it goes, and what CloudFormation knows each by when it is imported. */
const KEPT: Record<string, string> = {
  "AWS::DynamoDB::Table": "TableName",
  "AWS::S3::Bucket": "BucketName",
  "AWS::Events::EventBus": "Name",
  "AWS::Events::Archive": "ArchiveName",
};

/** The poller's stack is destroyed while others have rules on its bus, and deployed again over what it has kept. */
export const destroyAndImport: SmokeCheck = {
  name: "destroy-and-import",
  needs: [],
  after: ["poller", "schedule"],
  deadline: 1_800_000,
  async run(context, { until, signal }) {
    const { aws, folder } = context;
    await mustRefuseBusWithRules(context);
    const resources = await resourcesOf(aws.cloudFormation, NAMES.pollerStack);
    const foreign = left(context.foreign, "the foreign queue");
    await foreign.drain();
    const before = responsesOf(foreign.events);

    await runCdk(["destroy", NAMES.pollerStack, "--exclusively", "--force"], { folder, signal });
    await mustBeKept(context);

    // A new stack has secrets of the same names.
    await removeSecrets(aws, (name) => name !== NAMES.webhookSecret);
    const mapping = join(folder, "kept.json");
    writeFileSync(mapping, JSON.stringify(await mappingOf(context, resources)));
    await runCdk(["import", NAMES.pollerStack, "--resource-mapping", mapping], { folder, signal });
    const deploy = ["deploy", NAMES.pollerStack, "--exclusively", "--require-approval", "never"];
    await runCdk(deploy, { folder, signal });
    await takeOutputs(context, NAMES.pollerStack, aws);
    await fillCredentials(context);

    const news = await until("an event of what completed meanwhile, at the foreign rule", async () => {
      await foreign.drain();
      const found = new Set([...responsesOf(foreign.events)].filter((id) => !before.has(id)));
      return found.size > 0 ? found : undefined;
    });
    const again = duplicates(foreign.events);
    mustBe(again.length === 0, `${again.length} events were emitted again`, "see that the old table was imported");
    return `the bus kept its rules, ${before.size} events of before did not go out again, ${news.size} new ones did`;
  },
};

/** Where a bus with rules can be deleted, nothing is shown by a stack that is. AWS refuses. */
async function mustRefuseBusWithRules({ aws: { events }, options }: SmokeContext): Promise<void> {
  const Name = `${NAMES.bus}-with-a-rule`;
  const EventPattern = JSON.stringify({ source: [NAMES.eventSource] });
  await removeBus({ events }, Name);
  await events.send(new CreateEventBusCommand({ Name }));
  try {
    await events.send(new PutRuleCommand({ EventBusName: Name, Name: "a-rule", EventPattern }));
    const isRefused = await events.send(new DeleteEventBusCommand({ Name })).then(
      () => false,
      () => true,
    );
    if (isRefused) return;
    const message = "a bus that has rules can be deleted here";
    if (options.emulator) throw new NotShownError(`${message}, which EventBridge refuses`);
    mustBe(false, message, "tell us: docs/smoke.md and the retained bus go by EventBridge refusing it");
  } finally {
    await removeBus({ events }, Name);
  }
}

async function mustBeKept(context: SmokeContext): Promise<void> {
  const { events, dynamodb } = context.aws;
  const bus = await unlessMissing(events.send(new DescribeEventBusCommand({ Name: NAMES.bus })));
  mustBe(bus !== undefined, "the bus went with the stack", "it must be retained: infra/event-bus.ts");
  const Name = outputOf(context, "foreignRule", OUTPUTS);
  const rule = await unlessMissing(events.send(new DescribeRuleCommand({ EventBusName: NAMES.bus, Name })));
  mustBe(rule !== undefined, "the subscriber's rule went with the poller's stack", "run it again with --keep and look");
  const TableName = outputOf(context, "table", OUTPUTS);
  const table = await unlessMissing(dynamodb.send(new DescribeTableCommand({ TableName })));
  mustBe(table !== undefined, "the table went with the stack", "it must be retained: infra/state-table.ts");
}

/** As `cdk import --resource-mapping` takes it: what is still there. */
async function mappingOf(
  { aws: { events } }: SmokeContext,
  resources: readonly Resource[],
): Promise<Record<string, Record<string, string>>> {
  const mapping: Record<string, Record<string, string>> = {};
  for (const { type, logicalId, physicalId } of resources) {
    const key = KEPT[type];
    if (key === undefined) continue;
    if (type === "AWS::Events::Archive") {
      const asked = new DescribeArchiveCommand({ ArchiveName: physicalId });
      if ((await unlessMissing(events.send(asked))) === undefined) continue;
    }
    mapping[logicalId] = { [key]: physicalId };
  }
  return mapping;
}
