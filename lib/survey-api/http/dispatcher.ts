import { Agent, type Dispatcher, Pool, ProxyAgent } from "undici";

/** One connection to spare for so many requests in flight. */
const SPARE = 4;

export interface DispatcherOptions {
  /** Most requests in flight. */
  concurrency: number;
  /** Milliseconds until a connection stands. */
  timeouts: { connect: number };
  /** URL of an HTTP proxy. */
  proxy?: string;
}

/** The connections to the service, directly or through a proxy. */
export function createDispatcher({ concurrency, timeouts, proxy }: DispatcherOptions): Dispatcher {
  // HTTP/1.1 only: one request in flight for each connection. undici gives a connection back one turn of the event loop after its answer.
  // Without some to spare, the next request waits for that.
  const connections = concurrency + Math.floor(concurrency / SPARE);
  const common = { connections, pipelining: 1, keepAliveTimeout: 4_000, allowH2: false };
  const connect = { timeout: timeouts.connect };
  if (proxy === undefined) return new Agent({ ...common, connect });
  return new ProxyAgent({
    ...common,
    uri: proxy,
    // For http too, so that the proxy sees no more of it than of https.
    proxyTunnel: true,
    connectTimeout: timeouts.connect,
    // A connection stands when the proxy has answered CONNECT, for which undici would wait five minutes.
    clientFactory: (origin, given) => new Pool(origin, { ...given, headersTimeout: timeouts.connect }),
  });
}
