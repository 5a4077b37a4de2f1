import { count } from "../../words.ts";
import { allowed, type Check, fail, ok } from "./check.ts";

/** Whether an alarm of the stack is raised. */
export const alarms: Check = async ({ looks }) => {
  if (looks === undefined) return [];
  const permission = "cloudformation:ListStackResources and cloudwatch:DescribeAlarms";
  return allowed("alarms", permission, async () => {
    const names = await looks.resources("AWS::CloudWatch::Alarm");
    const raised = await looks.raised(names);
    if (raised.length === 0) return ok("alarms", `none of ${count(names.length, "alarm")} is raised`);
    return raised.map((name) => fail("alarms", `raised: ${name}`, "See docs/runbook.md, which has each alarm."));
  });
};
