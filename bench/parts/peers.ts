import { drainByPeer } from "../peers/drain.ts";
import { isInstalled, PEERS, type Peer } from "../peers/peers.ts";
import { both, perSecond } from "../support/measure.ts";
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

async function bestConcurrency(peer: Peer, latency: number): Promise<number> {
  const [only = 1] = peer.concurrencies;
  if (peer.concurrencies.length === 1) return only;
  let best = { rate: 0, concurrency: only };
  for (const concurrency of peer.concurrencies) {
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

/** The poller before and after each peer, that a machine which becomes slower meanwhile slows both. */
async function compare(peer: Peer, latency: number): Promise<{ rows: Row[]; points: Plot["points"] }> {
  const what = `${peer.name} ${peer.version}, drain of ${peer.responses} at ${latency} ms`;
  try {
    const concurrency = await bestConcurrency(peer, latency);
    const before = await drainByPoller(peer.responses, latency);
    const rate = await drain(peer, { responses: peer.responses, latency, concurrency });
    const poller = perSecond(both(before, await drainByPoller(peer.responses, latency)));
    const rows = [
      told(`${what}, ${concurrency} in flight`, `${rate.toFixed(0)}/s`),
      told(`  poller, ${CONCURRENCY} in flight`, `${poller.toFixed(0)}/s`),
      atLeast("  poller, of the peer", poller / rate, LEAST[latency] ?? 1),
    ];
    const x = `${peer.name}, ${latency} ms`;
    return {
      rows,
      points: [
        { series: "peer", x, y: rate },
        { series: "poller beside it", x, y: poller },
      ],
    };
  } catch (error) {
    process.stderr.write(`${what}: ${error}\n`);
    return { rows: [{ what, measured: "failed", met: false }], points: [] };
  }
}

export async function run(...names: string[]): Promise<Findings> {
  const wanted = PEERS.filter(({ name }) => names.length === 0 || names.includes(name));
  const rows: Row[] = wanted
    .filter((peer) => !isInstalled(peer))
    .map(({ name, version }) => told(`${name} ${version}`, "not installed"));
  const points: Plot["points"] = [];
  for (const latency of LATENCIES) {
    for (const peer of wanted.filter(isInstalled)) {
      const found = await compare(peer, latency);
      rows.push(...found.rows);
      points.push(...found.points);
    }
  }
  const title = `Responses a second of four frameworks and of the poller`;
  return {
    rows,
    plots: [
      { name: "peers", title, kind: "bars", x: "framework, latency of the service", y: "responses a second", points },
    ],
  };
}
