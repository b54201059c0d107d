/** How texts for operators write the command line. It works when pasted, in a clone and beside `segue-gateway`. */
export const SEGUE = 'npx --no-install segue';

/**
 * The message for a command with an unknown company id. It does not repeat the id, because a user may enter an API key
 * by mistake.
 */
export const NO_SUCH_COMPANY = `no company has this id: add it with ${SEGUE} company add. On this machine, you can also run npm start with SEGUE_COMPANY_ID set to the id and the same SEGUE_DATA_DIR`;
