import type { Fenced } from "./markdown.ts";

/**
 * What TypeScript in the documents may take as given: a stack (`this`), the reader's own resources in it, a poller, an event
 * that a handler got. Everything else a block imports or declares, so that a reader can copy it.
 */
const GIVEN = `
import type { Stack } from "aws-cdk-lib";
import type { SurveyPoller } from "survey-poller/infra";
declare const stack: Stack;
declare const poller: SurveyPoller;
declare const queue: import("aws-cdk-lib/aws-sqs").Queue;
declare const consumer: import("aws-cdk-lib/aws-lambda").Function;
declare const topic: import("aws-cdk-lib/aws-sns").ITopic;
declare const vpc: import("aws-cdk-lib/aws-ec2").IVpc;
declare const eventBus: import("aws-cdk-lib/aws-events").IEventBus;
declare const stateTable: import("aws-cdk-lib/aws-dynamodb").ITable;
declare const encryptionKey: import("aws-cdk-lib/aws-kms").IKey;
declare const s3: import("@aws-sdk/client-s3").S3Client;
declare const event: { "detail-type": string; detail: unknown };
`;

/**
 * A block as a module that stands by itself: imports first, the rest in a function whose `this` is a stack. A name that the block
 * declares is not given.
 */
export function asModule({ place, code }: Fenced): string {
  const statement = /^import [^;]*?;[ \t]*(?:\/\/.*)?$/gm;
  const imports = code.match(statement) ?? [];
  const body = code.replace(statement, "").replace(/^export /gm, "");
  const given = GIVEN.split("\n").filter((line) => {
    const name = /^declare const (\w+)|^import type \{ (\w+) \}/.exec(line)?.slice(1).find(Boolean) ?? "";
    const isDeclared = new RegExp(`\\b(?:const|let|function|class) ${name}\\b`).test(body);
    return !isDeclared && !imports.some((line) => new RegExp(`\\b${name}\\b`).test(line));
  });
  const isCdk = given.some((line) => line.includes("{ Stack }"));
  const stack = isCdk ? "Stack" : 'import("aws-cdk-lib").Stack';
  return `// ${place}
${imports.join("\n")}
${given.join("\n")}
export async function block(this: ${stack}): Promise<void> {
${body}
}
`;
}
