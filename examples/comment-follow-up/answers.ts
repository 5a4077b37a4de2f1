import { GetObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { type Answer, type ResponseCompleted, responseCompleted } from "survey-poller/events";

const s3 = new S3Client({});

/** Answers of a response, from the bucket where they were too large for the event. */
export async function answersOf({ data }: ResponseCompleted): Promise<readonly Answer[]> {
  if (data.answersRef === null) return data.answers;
  const { bucket, key } = data.answersRef;
  const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
  const text = await Body?.transformToString();
  if (text === undefined) throw new Error(`The object ${key} is empty. The next attempt reads it again.`);
  return responseCompleted.shape.data.shape.answers.parse(JSON.parse(text));
}
