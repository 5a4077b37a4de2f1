import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { awsRequestChannel } from "./diagnostics.ts";
import { contentTypes, sendFault, sendRefusal } from "./fault-answers.ts";
import type { DueFault, FaultBoard } from "./faults.ts";
import { refusalOf } from "./guard.ts";
import { captureAnswer, readBody, withBody } from "./http.ts";
import { operationOf } from "./operation.ts";
import { planPartial } from "./partial.ts";
import type { RequestLog } from "./request-log.ts";
import type { Service } from "./services.ts";

export interface FrontOptions {
  /** Of the run: whoever does not show it gets nothing. */
  accessKeyId: string;
  faults: FaultBoard;
  log: RequestLog;
}

/**
 * The one door to each service. It lets in the clients of the run alone, counts their requests and lets the faults that are set have their way
 * with them. It wraps the service's own handler in the same process, so that without faults nothing is read, copied or forwarded.
 */
export function createFront(
  service: Service,
  handle: RequestListener,
  { accessKeyId, faults, log }: FrontOptions,
): RequestListener {
  return (request, response) => {
    const refusal = refusalOf(request, accessKeyId);
    if (refusal !== undefined) {
      sendRefusal(service, refusal, response);
      return;
    }
    const operation = operationOf(service, request);
    log.record(service, operation, request);
    if (awsRequestChannel.hasSubscribers) {
      awsRequestChannel.publish({ service, operation, phase: "arrived" });
      response.once("finish", () => awsRequestChannel.publish({ service, operation, phase: "answered" }));
    }
    const due = faults.armed() ? faults.take(service, operation, request.url ?? "/") : undefined;
    if (due === undefined) {
      handle(request, response);
      return;
    }
    applyFault({ service, operation, handle, request, response, due, random: faults.random }).catch(() => {
      response.destroy();
    });
  };
}

interface FaultyRequest {
  service: Service;
  operation: string;
  handle: RequestListener;
  request: IncomingMessage;
  response: ServerResponse;
  due: DueFault;
  random: () => number;
}

async function applyFault(faulty: FaultyRequest): Promise<void> {
  const { service, handle, request, response, due } = faulty;
  if (due.kind === "down") {
    response.destroy();
    return;
  }
  // Read to the end first: a connection whose request is left half read resets under the answer.
  const body = await readBody(request);
  if (due.delayMs > 0) await delay(due.delayMs);
  switch (due.kind) {
    case undefined:
      handle(withBody(request, body), response);
      return;
    case "throttle":
    case "error":
      sendFault(service, due.kind, response);
      return;
    case "lose-answer":
      await captureAnswer(handle, withBody(request, body));
      response.destroy();
      return;
    case "partial":
      await answerInPart(faulty, body);
      return;
  }
}

async function answerInPart(faulty: FaultyRequest, body: Buffer): Promise<void> {
  const { service, operation, handle, request, response, random } = faulty;
  const plan = planPartial(service, operation, body, random);
  if (plan === "throttle") {
    sendFault(service, "throttle", response);
    return;
  }
  if (plan === undefined) {
    handle(withBody(request, body), response);
    return;
  }
  const done = plan.body === undefined ? undefined : await captureAnswer(handle, withBody(request, plan.body));
  const status = done?.status ?? 200;
  response.writeHead(status, { "content-type": contentTypes[service] });
  response.end(status === 200 ? plan.merge(done?.body) : done?.body);
}
