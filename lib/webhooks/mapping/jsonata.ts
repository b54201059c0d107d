import { readFileSync } from 'node:fs';

/** The source code of JSONata as text, because a sandbox process cannot import modules. A bundle contains the text. */
export default readFileSync(new URL(import.meta.resolve('jsonata/jsonata.min.js')), 'utf8');
