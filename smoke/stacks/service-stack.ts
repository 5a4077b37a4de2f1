import { RemovalPolicy, Stack } from "aws-cdk-lib";
import { AttributeType, BillingMode, Table } from "aws-cdk-lib/aws-dynamodb";
import { FunctionUrlAuthType } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import { NAMES, OUTPUTS } from "../names.ts";
import type { ServiceSettings } from "../service/answer.ts";
import { bundledFunction, outputs } from "./bundled-function.ts";

/** What stands outside: the survey service, and an endpoint that writes down what a webhook sends. Both by a public URL. */
export class ServiceStack extends Stack {
  constructor(scope: Construct, service: ServiceSettings) {
    super(scope, NAMES.serviceStack, { description: "Smoke test of survey-poller: a survey service, and an endpoint" });
    const recorded = new Table(this, "Recorded", {
      partitionKey: { name: "pk", type: AttributeType.STRING },
      sortKey: { name: "sk", type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const survey = bundledFunction(this, "Service", "service/handler.ts", { SERVICE: JSON.stringify(service) });
    const endpoint = bundledFunction(this, "Endpoint", "recorder.ts", {
      TABLE_NAME: recorded.tableName,
      LANE: "endpoint",
    });
    recorded.grantWriteData(endpoint);
    // The service asks for its own credentials, which are made anew for each run; the endpoint takes anything and gives nothing.
    const urlOf = (one: typeof survey): string => one.addFunctionUrl({ authType: FunctionUrlAuthType.NONE }).url;
    outputs(this, {
      [OUTPUTS.serviceUrl]: urlOf(survey),
      [OUTPUTS.recorderUrl]: urlOf(endpoint),
      [OUTPUTS.recordedTable]: recorded.tableName,
    });
  }
}
