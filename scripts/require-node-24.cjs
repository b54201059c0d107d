// Preloaded by every npm script: what follows needs Lambda's runtime line, and an older Node would fail in obscure ways.
const major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  process.stderr.write(
    `Segue needs Node 24 and this is ${process.version}: run "npm ci" with optional dependencies, which brings it, or install Node 24.\n`,
  );
  process.exit(1);
}
try {
  require.resolve('zod/mini');
} catch {
  process.stderr.write('Segue needs its packages: run "npm ci".\n');
  process.exit(1);
}
// Keep compiled code in node_modules, if that folder is writable: the next start takes half as long.
require('node:module').enableCompileCache(`${__dirname}/../node_modules/.cache/segue`);
