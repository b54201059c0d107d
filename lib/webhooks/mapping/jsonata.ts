import { readFileSync } from 'node:fs';

/** The source text of JSONata, because a sandbox process cannot import it. A bundle contains the text itself. */
export default readFileSync(new URL(import.meta.resolve('jsonata/jsonata.min.js')), 'utf8');
