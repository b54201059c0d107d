/** The field that a newer release adds to its records. */
export const ADDED = 'addedLater';

/** The file in the data folder with the sort key of each record that was replaced without the field. */
export const LOST_FIELDS = 'lost-fields';
