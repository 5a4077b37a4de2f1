import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { replaceFile } from "../data-folder.ts";

const version = z.object({
  createdAt: z.number(),
  stages: z.array(z.string()),
  string: z.string().optional(),
  binary: z.string().optional(),
});

const secret = z.object({
  arn: z.string(),
  name: z.string(),
  description: z.string().optional(),
  tags: z.array(z.object({ Key: z.string(), Value: z.string() })).default([]),
  createdAt: z.number(),
  changedAt: z.number(),
  /** When it may be purged; absent unless it is marked for deletion. */
  deletedAt: z.number().optional(),
  versions: z.record(z.string(), version),
});

/** Times are in epoch seconds, as in the API; `binary` is base64. */
export type Version = z.infer<typeof version>;
export type Secret = z.infer<typeof secret>;

export interface SecretStore {
  all(): Secret[];
  /** By name, ARN, or ARN without its random suffix. */
  find(secretId: string): Secret | undefined;
  save(secret: Secret): void;
  remove(secret: Secret): void;
}

/** One file a secret (mode 0600), named by a hash so that any secret name will do. */
export function openSecretStore(folder: string): SecretStore {
  const secrets = new Map<string, Secret>();
  for (const file of readdirSync(folder)) {
    if (!file.endsWith(".json")) continue;
    const read = secret.parse(JSON.parse(readFileSync(join(folder, file), "utf8")));
    secrets.set(read.name, read);
  }
  const fileOf = (name: string) => join(folder, `${createHash("sha256").update(name).digest("hex").slice(0, 32)}.json`);
  return {
    all: () => [...secrets.values()],
    find(secretId) {
      const named = secrets.get(secretId);
      if (named !== undefined) return named;
      return [...secrets.values()].find(
        ({ arn }) => arn === secretId || arn.slice(0, arn.lastIndexOf("-")) === secretId,
      );
    },
    save(changed) {
      replaceFile(fileOf(changed.name), JSON.stringify(changed));
      secrets.set(changed.name, changed);
    },
    remove({ name }) {
      rmSync(fileOf(name), { force: true });
      secrets.delete(name);
    },
  };
}
