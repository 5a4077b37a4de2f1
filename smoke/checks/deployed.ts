import { describeStack, outputsOf } from "../aws/stacks.ts";
import type { SmokeCheck } from "../context.ts";
import { mustBe } from "../run/check.ts";

export const deployed: SmokeCheck = {
  name: "deployed",
  needs: [],
  after: [],
  deadline: 60_000,
  async run(context) {
    const { stack: name } = context.options;
    const stack = await describeStack(context.aws.cloudFormation, name);
    const todo = "npx cdk deploy -c config=my-survey.json, or --stack NAME for another name";
    mustBe(stack !== undefined, `there is no stack ${name} in this account and region`, todo);
    const status = stack.StackStatus ?? "";
    mustBe(/^(CREATE|UPDATE|IMPORT)_COMPLETE$/.test(status), `stack ${name} is ${status}`, todo);
    context.userStack = { outputs: outputsOf(stack) };
    return `${name} is ${status}, ${stack.StackId}`;
  },
};
