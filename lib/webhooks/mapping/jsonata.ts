import { readFileSync } from 'node:fs';

/** The program of JSONata as text: a thread that has nothing to import by gets it so. A bundle holds the text itself. */
export default readFileSync(new URL(import.meta.resolve('jsonata/jsonata.min.js')), 'utf8');
