import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Step Functions as far as executions are started, on this machine. */
export interface StateMachines {
  url: string;
  /** Inputs by the names of the executions. */
  executions: Map<string, unknown>;
  /** What each request but those for a known name is answered, while it is set. */
  failWith: string | undefined;
  close(): void;
}

interface StartExecution {
  stateMachineArn: string;
  name: string;
  input: string;
}

/** Takes each name once, as Step Functions does, and no input that is too large for it. */
export async function startStateMachines(): Promise<StateMachines> {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { name, input, stateMachineArn } = JSON.parse(body) as StartExecution;
    const problem = machines.executions.has(name)
      ? "ExecutionAlreadyExists"
      : Buffer.byteLength(input) > 262_144
        ? "InvalidExecutionInput"
        : machines.failWith;
    response.setHeader("content-type", "application/x-amz-json-1.0");
    if (problem !== undefined) return response.writeHead(400).end(JSON.stringify({ __type: problem }));
    machines.executions.set(name, JSON.parse(input));
    return response.end(JSON.stringify({ executionArn: `${stateMachineArn}:${name}`, startDate: 1 }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const machines: StateMachines = {
    url: `http://127.0.0.1:${port}`,
    executions: new Map(),
    failWith: undefined,
    close: () => void server.close().closeAllConnections(),
  };
  return machines;
}
