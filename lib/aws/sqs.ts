// What is used of this client, loaded by whoever needs it first: by name, so that the rest of it stays out of the bundle.
export { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
