/** How texts for operators write the command line. It works when pasted, in a clone and beside `segue-gateway`. */
export const SEGUE = 'npx --no-install segue';
