import { z } from "zod";

const token = z.string().min(32).max(64).optional();
const value = { SecretString: z.string().optional(), SecretBinary: z.string().optional() };
const secretId = { SecretId: z.string().min(1).max(2048) };

export const createInput = z.looseObject({
  Name: z.string().regex(/^[\w/+=.@-]{1,512}$/),
  ClientRequestToken: token,
  Description: z.string().optional(),
  Tags: z.array(z.object({ Key: z.string(), Value: z.string() })).optional(),
  ...value,
});
export const getInput = z.looseObject({
  ...secretId,
  VersionId: z.string().optional(),
  VersionStage: z.string().optional(),
});
export const putInput = z.looseObject({
  ...secretId,
  ClientRequestToken: token,
  VersionStages: z.array(z.string()).min(1).max(20).optional(),
  ...value,
});
export const stageInput = z.looseObject({
  ...secretId,
  VersionStage: z.string().min(1),
  RemoveFromVersionId: z.string().optional(),
  MoveToVersionId: z.string().optional(),
});
export const deleteInput = z.looseObject({
  ...secretId,
  ForceDeleteWithoutRecovery: z.boolean().optional(),
  RecoveryWindowInDays: z.int().min(7).max(30).optional(),
});
export const listInput = z.looseObject({
  MaxResults: z.int().min(1).max(100).optional(),
  NextToken: z.string().optional(),
  IncludePlannedDeletion: z.boolean().optional(),
  Filters: z
    .array(z.object({ Key: z.literal("name", "Only the name filter is offered here."), Values: z.array(z.string()) }))
    .optional(),
});

export const describeInput = z.looseObject(secretId);
