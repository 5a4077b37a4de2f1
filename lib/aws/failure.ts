import { errorCode, PollerError } from "../errors.ts";

/** `answer`: the error that answers the question, and is no failure of the service. */
const SERVICES = {
  dynamodb: { code: "DYNAMODB_FAILED", name: "DynamoDB", what: "the table", answer: "ConditionalCheckFailedException" },
  s3: { code: "S3_FAILED", name: "S3", what: "the claim-check bucket", answer: "NoSuchKey" },
  secrets: {
    code: "SECRETS_MANAGER_FAILED",
    name: "Secrets Manager",
    what: "the source's secrets",
    answer: "ResourceNotFoundException",
  },
  sqs: { code: "SQS_FAILED", name: "SQS", what: "the queue of ticks", answer: undefined },
} as const;

type ServiceKey = keyof typeof SERVICES;

/** An AWS service did not do its part, all retries of the SDK included; its own error is the `cause`. */
export class AwsFailure extends PollerError {
  readonly code: string;
  constructor(service: ServiceKey, cause: unknown) {
    const { code, name, what } = SERVICES[service];
    // The SDK's own message may quote what it was working on.
    super(`${name} could not be used (${errorCode(cause)})`, { cause, retryable: true, hint: hintFor(cause, what) });
    this.code = code;
  }
}

/** Whether an error has this code because of AWS: it may pass, whatever has been reached before. */
export function isAwsFailure(code: string): boolean {
  return Object.values(SERVICES).some((service) => service.code === code);
}

/** One step of the SDK, whatever the command. */
type Handler = (args: never) => Promise<unknown>;

/** The part of an SDK client that is needed to see its errors. */
interface Sdk {
  middlewareStack: {
    add(
      middleware: <Next extends Handler>(next: Next) => Next,
      options: { step: "initialize"; priority: "high"; name: string },
    ): void;
  };
}

/** Makes a client throw `AwsFailure` for whatever is not an answer. */
export function namingFailures<Client extends Sdk>(service: ServiceKey, client: Client): Client {
  const failing = <Next extends Handler>(next: Next): Next => {
    const named: Handler = async (args) => {
      try {
        return await next(args);
      } catch (error) {
        if (error instanceof Error && error.name === SERVICES[service].answer) throw error;
        throw new AwsFailure(service, error);
      }
    };
    return named as Next;
  };
  // First of all steps, and so the last to see an error: after the SDK's retries.
  client.middlewareStack.add(failing, { step: "initialize", priority: "high", name: "namingFailures" });
  return client;
}

function hintFor(cause: unknown, what: string): string {
  const code = errorCode(cause);
  if (/AccessDenied|NotAuthorized|UnrecognizedClient/.test(code)) return `Look at the permissions for ${what}.`;
  if (/Throttl|ThroughputExceeded|RequestLimit|SlowDown/.test(code)) return `Look at the limits of ${what}.`;
  if (code === "ResourceNotFoundException" || code === "NoSuchBucket")
    return `Deploy the stack again: ${what} is gone.`;
  return "Nothing is lost: it is tried again.";
}
