import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { EventBridgeClient } from "@aws-sdk/client-eventbridge";
import { S3Client } from "@aws-sdk/client-s3";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { Agent } from "undici";

// What no function of this kind can do without: the clients, and connections to the service.

const clients = [
  DynamoDBDocumentClient.from(new DynamoDBClient()),
  new EventBridgeClient(),
  new S3Client(),
  new SecretsManagerClient(),
  new Agent(),
];

export const handler = async (): Promise<number> => clients.length;
