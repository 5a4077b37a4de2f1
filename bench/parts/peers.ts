import { drainByPeer } from "../peers/drain.ts";
import { isInstalled, PEERS, type Peer } from "../peers/peers.ts";
import { both, type Drained, perSecond } from "../support/measure.ts";
import { drainInMemory } from "../support/memory-poller.ts";
import { atLeast, type Findings, type Plot, type Row, told } from "../support/row.ts";
import { startService } from "../support/service.ts";

// The same drain by frameworks that could be taken instead, each at the concurrency that suits it best, and by the poller.

const SURVEY = 101;
const LATENCIES = [50, 5];
const RECORDS = 5;
/** How much faster the poller is to be than each, by latency. */
const LEAST: Record<number, number> = { 50: 4, 5: 2 };
const CONCURRENCY = 64;
/** Of the drains that find the concurrency which suits a peer best. */
const TRIED = 2_000;

interface Found {
  rows: Row[];
  points: Plot["points"];
  /** What the poller made right after it. */
  after?: Drained;
}

/** One drain of a service with so many responses. */
async function drain(
  peer: Peer,
  drained: { responses: number; latency: number; concurrency: number },
): Promise<number> {
  const { responses, latency, concurrency } = drained;
  const service = await startService({ surveys: { [SURVEY]: responses }, records: RECORDS, latency });
  try {
    return await drainByPeer(service, peer, { surveyId: SURVEY, responses, records: RECORDS, concurrency });
  } finally {
    service.stop();
  }
}

/** Responses a second that no client exceeds: each takes two requests, and each request the latency. */
const ceiling = (concurrency: number, latency: number): number => concurrency / ((2 * latency) / 1000);

/** What cannot be faster than the best so far is not tried. */
async function bestConcurrency(peer: Peer, latency: number): Promise<number> {
  const [most = 1] = peer.concurrencies;
  if (peer.concurrencies.length === 1) return most;
  let best = { rate: 0, concurrency: most };
  for (const concurrency of peer.concurrencies) {
    if (ceiling(concurrency, latency) <= best.rate) break;
    const rate = await drain(peer, { responses: Math.min(TRIED, peer.responses), latency, concurrency });
    if (rate > best.rate) best = { rate, concurrency };
  }
  return best.concurrency;
}

async function drainByPoller(responses: number, latency: number) {
  const service = await startService({ surveys: { [SURVEY]: responses }, records: RECORDS, latency });
  const drained = await drainInMemory(service.url, CONCURRENCY);
  service.stop();
  if (drained.responses !== responses) throw new Error(`${drained.responses} responses were emitted`);
  return drained;
}

/** All concurrencies are found first, so that no trial comes between a peer and the poller beside it. */
async function compareAll(peers: readonly Peer[], latency: number): Promise<Found[]> {
  const tried = new Map<Peer, number | Found>();
  for (const peer of peers) {
    tried.set(peer, await bestConcurrency(peer, latency).catch((error) => failed(peer, latency, error)));
  }
  const found: Found[] = [];
  for (const [peer, best] of tried) {
    const earlier = found.at(-1)?.after;
    found.push(typeof best === "number" ? await compare(peer, { latency, concurrency: best, earlier }) : best);
  }
  return found;
}

/**
 * The poller before and after each peer, that a machine which becomes slower meanwhile slows both.
 * Where two neighbours drain the same, what it made after the one is what it made before the other.
 */
async function compare(
  peer: Peer,
  { latency, concurrency, earlier }: { latency: number; concurrency: number; earlier: Drained | undefined },
): Promise<Found> {
  try {
    const isBeside = earlier?.responses === peer.responses;
    const before = isBeside ? earlier : await drainByPoller(peer.responses, latency);
    const rate = await drain(peer, { responses: peer.responses, latency, concurrency });
    const after = await drainByPoller(peer.responses, latency);
    const poller = perSecond(both(before, after));
    const rows = [
      told(`${nameOf(peer, latency)}, ${concurrency} in flight`, `${rate.toFixed(0)}/s`),
      told(`  poller, ${CONCURRENCY} in flight`, `${poller.toFixed(0)}/s`),
      atLeast("  poller, of the peer", poller / rate, LEAST[latency] ?? 1),
    ];
    const x = `${peer.name}, ${latency} ms`;
    const points = [
      { series: "peer", x, y: rate },
      { series: "poller beside it", x, y: poller },
    ];
    return { rows, points, after };
  } catch (error) {
    return failed(peer, latency, error);
  }
}

const nameOf = ({ name, version, responses }: Peer, latency: number): string =>
  `${name} ${version}, drain of ${responses} at ${latency} ms`;

function failed(peer: Peer, latency: number, error: unknown): Found {
  const what = nameOf(peer, latency);
  process.stderr.write(`${what}: ${error}\n`);
  return { rows: [{ what, measured: "failed", met: false }], points: [] };
}

export async function run(...names: string[]): Promise<Findings> {
  const wanted = PEERS.filter(({ name }) => names.length === 0 || names.includes(name));
  const rows: Row[] = wanted
    .filter((peer) => !isInstalled(peer))
    .map(({ name, version }) => told(`${name} ${version}`, "not installed"));
  const points: Plot["points"] = [];
  for (const latency of LATENCIES) {
    for (const found of await compareAll(wanted.filter(isInstalled), latency)) {
      rows.push(...found.rows);
      points.push(...found.points);
    }
  }
  const title = "Responses a second of other frameworks and of the poller";
  return {
    rows,
    plots: [
      { name: "peers", title, kind: "bars", x: "framework, latency of the service", y: "responses a second", points },
    ],
  };
}
