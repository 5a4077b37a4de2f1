import { createClients } from "../aws/clients.ts";
import { openInbox } from "../aws/inbox.ts";
import { describeStack, outputsOf } from "../aws/stacks.ts";
import { left, outputOf, type SmokeCheck } from "../context.ts";
import { NAMES, OUTPUTS } from "../names.ts";
import { runCdk } from "../run/cdk.ts";
import { writeSettings } from "./deploy.ts";
import { responsesOf } from "./events.ts";

/** Another account makes a rule on the bus, by the policy that `subscribers` gives the bus, and gets events. */
export const crossAccount: SmokeCheck = {
  name: "cross-account",
  needs: ["second account"],
  after: ["schedule"],
  deadline: 900_000,
  async run(context, { until, signal }) {
    const profile = context.options.otherProfile;
    const deployed = left(context.deployed, "the service");
    deployed.busArn = outputOf(context, "busArn", OUTPUTS);
    writeSettings(context);
    const args = ["deploy", NAMES.otherAccountStack, "--exclusively", "--require-approval", "never"];
    await runCdk(args, { folder: context.folder, profile, signal });
    const other = createClients(profile);
    const stack = await describeStack(other.cloudFormation, NAMES.otherAccountStack);
    const url = left(outputsOf(left(stack, "the other account's stack"))[OUTPUTS.otherQueue], "its queue");
    const queue = openInbox(other.sqs, url);
    await until("an event in the other account", async () => {
      await queue.drain();
      return queue.events.length > 0 ? true : undefined;
    });
    return `account ${deployed.otherAccount} has made a rule on the bus, and had ${responsesOf(queue.events).size} events`;
  },
};
