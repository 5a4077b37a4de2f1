import { allowed, type Check, fail, ok, warn } from "./check.ts";

/** Whether the schedules of a stack are on: without one nothing polls its source. */
export const schedules: Check = async ({ looks, target, sources }) => {
  if (looks === undefined) return [];
  const permission = "cloudformation:ListStackResources and scheduler:GetSchedule";
  return allowed("schedule", permission, async () => {
    const names = await looks.resources("AWS::Scheduler::Schedule");
    const all = await Promise.all(names.map((name) => looks.schedule(name)));
    return sources.map((source) => {
      const check = sources.length === 1 ? "schedule" : `schedule of ${source.name}`;
      const own = all.find(({ description }) => description.endsWith(` source ${source.name}`));
      if (own === undefined) return fail(check, "there is none", "Deploy the stack again: `npx cdk deploy`.");
      if (own.isEnabled) return ok(check, "enabled");
      if (!source.enabled) return warn(check, "disabled, as the configuration says", `Set "enabled": true to poll it.`);
      return fail(check, "disabled: nothing polls", `Run: survey-poller resume ${target.flags} --yes`);
    });
  });
};
