// Preloaded into a process, to make one of its steps on the files at BROKEN_PATH fail or kill the process.
const fs = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');

const { BROKEN_PATH = '', BROKEN_STEP, BROKEN_WAY } = process.env;
const STEPS = ['existsSync', 'readFileSync', 'writeFileSync', 'renameSync', 'linkSync', 'rmSync'];
let steps = 0;

for (const name of STEPS) {
  const step = fs[name];
  fs[name] = (path, ...rest) => {
    if (!String(path).startsWith(BROKEN_PATH)) return step(path, ...rest);
    steps += 1;
    if (steps !== Number(BROKEN_STEP)) return step(path, ...rest);
    if (BROKEN_WAY === 'fails') throw Object.assign(new Error('A planted fault'), { code: 'EIO' });
    if (BROKEN_WAY === 'dies in it' && name === 'writeFileSync') {
      const [text, options] = rest;
      step(path, text.slice(0, text.length / 2), options);
    }
    return process.kill(process.pid, 'SIGKILL');
  };
}
syncBuiltinESMExports();
process.on('exit', () => process.stderr.write(`steps: ${steps}\n`));
