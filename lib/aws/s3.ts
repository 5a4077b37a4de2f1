// What is used of this client, loaded by whoever needs it first: by name, so that the rest of it stays out of the bundle.
export {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
