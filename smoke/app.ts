import { App } from "aws-cdk-lib";
import { readAppSettings } from "./settings.ts";
import { ForeignStack } from "./stacks/foreign-stack.ts";
import { OtherAccountStack } from "./stacks/other-account-stack.ts";
import { PollerStack } from "./stacks/poller-stack.ts";
import { ServiceStack } from "./stacks/service-stack.ts";

const app = new App();
const { service, deployed } = readAppSettings(process.env);
new ServiceStack(app, service);
if (deployed !== undefined) {
  new PollerStack(app, deployed);
  new ForeignStack(app);
  if (deployed.busArn !== undefined) new OtherAccountStack(app, deployed.busArn);
}
