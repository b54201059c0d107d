// Every npm script loads this file first. Segue needs Node 24 as in Lambda, and with an older Node its errors would be
// obscure.
const major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  process.stderr.write(
    `Segue needs Node 24, but this is ${process.version}: run "npm ci" with optional dependencies to install it, or install Node 24 yourself.\n`,
  );
  process.exit(1);
}
try {
  require.resolve('zod/mini');
} catch {
  process.stderr.write('Segue’s packages are not installed: run "npm ci".\n');
  process.exit(1);
}
// Compiled code is kept in node_modules, if that folder is writable. The next start then takes half as long.
require('node:module').enableCompileCache(`${__dirname}/../node_modules/.cache/segue`);
