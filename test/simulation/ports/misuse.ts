import { PollerError } from "../../../lib/errors.ts";

/** A port was called in a way that the real one would refuse each time: a fault of the poller, not of the day. */
export class MisuseError extends PollerError {
  readonly code = "MISUSE";
}
