import type { PollingSource } from "../model/source.ts";
import type { Ports } from "../ports.ts";

export interface TickRequest {
  ports: Ports;
  source: PollingSource;
  /** Names whoever runs this tick: the holder of its leases. */
  owner: string;
  /** Epoch milliseconds after which nothing new is begun. */
  deadline: number;
  /** Fingerprint of the service's base URL: the state of one service is not used for another. */
  service: string;
  /** Milliseconds for which a tick catches up before it leaves the rest to `workOffBacklogs`. */
  ownTime?: number;
}
