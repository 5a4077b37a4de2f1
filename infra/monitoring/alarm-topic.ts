import { ArnFormat, Stack } from "aws-cdk-lib";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { Topic } from "aws-cdk-lib/aws-sns";
import type { Construct } from "constructs";
import { acknowledgeOwnKey } from "../acknowledge.ts";

/** Where alarms are told. Only this account's alarms may publish, and only over TLS. */
export function createAlarmTopic(scope: Construct, encryptionKey?: IKey): Topic {
  const topic = new Topic(scope, "AlarmTopic", {
    displayName: "Survey poller alarms",
    enforceSSL: true,
    // The key that AWS manages for SNS would shut CloudWatch out: its policy cannot be changed.
    ...(encryptionKey === undefined ? {} : { masterKey: encryptionKey }),
  });
  acknowledgeOwnKey(topic, "SNSEncryptedKMS", encryptionKey);
  const { account } = Stack.of(scope);
  const alarms = Stack.of(scope).formatArn({
    service: "cloudwatch",
    resource: "alarm",
    resourceName: "*",
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  // A policy of its own takes the place of the default one, by which CloudWatch could publish.
  topic.addToResourcePolicy(
    new PolicyStatement({
      sid: "TellAlarms",
      principals: [new ServicePrincipal("cloudwatch.amazonaws.com")],
      actions: ["sns:Publish"],
      resources: [topic.topicArn],
      conditions: { StringEquals: { "aws:SourceAccount": account }, ArnLike: { "aws:SourceArn": alarms } },
    }),
  );
  return topic;
}
