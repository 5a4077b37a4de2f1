/**
 * The SDK sets no end to a request. One connection that hangs would outlast the time that a tick keeps in reserve, and its work would be
 * cut off. `silence` is in milliseconds, and counts as well between the parts of a body.
 */
export function patientFor(silence: number) {
  return {
    // A request that waits for one of the 50 connections to be free is taken for one that connects.
    connectionTimeout: 2_000,
    requestTimeout: silence,
    socketTimeout: silence,
    throwOnRequestTimeout: true,
  };
}
