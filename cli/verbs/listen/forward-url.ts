import { BlockList, isIP } from "node:net";
import { UsageError } from "../../flags.ts";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/**
 * Where events may be posted to. The address is not repeated: its query may hold a key.
 *
 * @throws UsageError for what is no plain http or https address, and for another machine without `allowRemote`
 */
export function forwardUrl(text: string, allowRemote: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw wrong("--forward-to is not an http:// or https:// address", "For example http://localhost:3000/events.");
  }
  if (url.username !== "" || url.password !== "") {
    throw wrong("--forward-to has credentials in it", "Take them out: the signature says who posts.");
  }
  if (!allowRemote && !isLoopback(url.hostname)) {
    const hint = "Events hold personal data, which would leave this machine. Add --allow-remote if that is meant.";
    throw wrong("--forward-to is not an address of this machine", hint);
  }
  return url;
}

function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const version = isIP(host);
  if (version === 0) return host === "localhost" || host.endsWith(".localhost");
  return loopback.check(host, version === 4 ? "ipv4" : "ipv6");
}

function wrong(message: string, hint: string): UsageError {
  return new UsageError(message, { hint });
}
