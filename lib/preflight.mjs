// Plain JavaScript, because its whole point is to run on a Node that is not the pinned one.
const major = Number(process.versions.node.split(".")[0]);
if (major !== 24) {
  process.stderr.write(
    `survey-poller needs Node 24 but runs on ${process.versions.node}: run "npm ci" without --ignore-scripts, which installs Node 24 into node_modules.\n`,
  );
  process.exit(1);
}
