import * as cdk from "aws-cdk-lib/core";
import type { Construct } from "constructs";
import { SurveyPoller } from "survey-poller/infra";

export class TheirsStack extends cdk.Stack {
  readonly poller: SurveyPoller;

  constructor(scope: Construct, id: string, props?: cdk.StackProps) {
    super(scope, id, props);
    this.poller = new SurveyPoller(this, "Surveys", { sources: [{ baseUrl: "https://surveys.example.com" }] });
  }
}
