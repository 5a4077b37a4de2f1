import { CloudFormationClient, paginateListStackResources } from "@aws-sdk/client-cloudformation";
import { CloudWatchClient, DescribeAlarmsCommand } from "@aws-sdk/client-cloudwatch";
import { GetScheduleCommand, SchedulerClient } from "@aws-sdk/client-scheduler";

export interface ScheduleLook {
  name: string;
  /** Names its source. */
  description: string;
  isEnabled: boolean;
}

/** The parts of a deployed stack that doctor reads beside its state. */
export interface StackLooks {
  /** Names of the stack's resources of a type such as "AWS::CloudWatch::Alarm". */
  resources(type: string): Promise<string[]>;
  schedule(name: string): Promise<ScheduleLook>;
  /** The names of those of these alarms that are raised. */
  raised(names: readonly string[]): Promise<string[]>;
  close(): void;
}

/** CloudWatch takes so many names at a time. */
const MOST_ALARMS = 100;

export function createStackLooks(stackName: string): StackLooks {
  const [formation, scheduler, cloudwatch] = [
    new CloudFormationClient({ maxAttempts: 3 }),
    new SchedulerClient({ maxAttempts: 3 }),
    new CloudWatchClient({ maxAttempts: 3 }),
  ];
  let listed: Promise<{ type: string; name: string }[]> | undefined;

  async function list(): Promise<{ type: string; name: string }[]> {
    const all = [];
    for await (const { StackResourceSummaries = [] } of paginateListStackResources(
      { client: formation },
      { StackName: stackName },
    )) {
      for (const { ResourceType: type = "", PhysicalResourceId: name = "" } of StackResourceSummaries) {
        all.push({ type, name });
      }
    }
    return all;
  }

  return {
    async resources(type) {
      listed ??= list();
      return (await listed).filter((one) => one.type === type).map(({ name }) => name);
    },
    async schedule(name) {
      // The name of the resource may have that of its group before it.
      const answer = await scheduler.send(new GetScheduleCommand({ Name: name.split("|").at(-1) ?? name }));
      return { name, description: answer.Description ?? "", isEnabled: answer.State === "ENABLED" };
    },
    async raised(names) {
      const found = [];
      for (let i = 0; i < names.length; i += MOST_ALARMS) {
        const some = names.slice(i, i + MOST_ALARMS);
        const answer = await cloudwatch.send(new DescribeAlarmsCommand({ AlarmNames: some, StateValue: "ALARM" }));
        found.push(...(answer.MetricAlarms ?? []), ...(answer.CompositeAlarms ?? []));
      }
      return found.map(({ AlarmName = "" }) => AlarmName);
    },
    close() {
      for (const client of [formation, scheduler, cloudwatch]) client.destroy();
    },
  };
}
